/** Only the gate: the policy has no plan mode. */
export default function policy(pi: Pi): void {
	pi.on("tool_call", (call, context) => gate(pi, AGENT, call, context, null));
}
