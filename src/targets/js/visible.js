
/** Whether the model of an agent sees a tool. */
export function visible(
	agent /*: string */,
	tool /*: string */,
) /*: boolean */ {
	const rules = rulesOf(agent);
	const { visibility, keys } = POLICY;
	const key = Object.hasOwn(keys, tool) ? keys[tool] : tool;
	const speaking = rules.filter((rule) => matches(rule.permission, key));
	// The text counts here, not what it matches: `**` hides nothing.
	const hides = ({ action, pattern } /*: Rule */) =>
		action === "deny" && pattern.dialect === "wildcard" && pattern.text === "*";
	if (visibility === "last-deny") return !speaking.slice(-1).some(hides);
	return visibility === "fixed" || !speaking.some(hides);
}

/** The agents that exist, in the order of the policy. */
export const agents /*: readonly string[] */ = Object.freeze(
	Object.keys(POLICY.agents),
);

/** The agent a session starts with; null: none can be. */
export const defaultAgent /*: string | null */ = POLICY.defaultAgent;
