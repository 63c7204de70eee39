// ---------------------------------------------------------------------------
// What is known of many resources at once: the strictest answer that any of them
// can get, and never a looser one.

const RANK = { allow: 0, ask: 1, deny: 2 };

/**
 * The strictest answer for a resource whose name begins with `root` and goes on;
 * `inside`: none of them is outside the working folder.
 */
function strictest(
	agent /*: string */,
	permission /*: string */,
	root /*: string */,
	inside /*: boolean */,
) /*: Decision */ {
	const rules = rulesOf(agent);
	let worst /*: Decision | null */ = null;
	for (let at = rules.length - 1; at >= 0; at--) {
		const rule = rules[at];
		if (!matches(rule.permission, permission)) continue;
		const part = share(rule.pattern, root, inside);
		if (part === "none") continue;
		if (worst === null || RANK[rule.action] > RANK[worst.action]) {
			worst = byRule(rule, at);
		}
		// No earlier rule decides any of them.
		if (part === "all") return worst;
	}
	return worst?.action === "deny" ? worst : unsaid();
}

/** How much of what begins with `root` and goes on a pattern matches. */
function share(
	pattern /*: Pattern */,
	root /*: string */,
	inside /*: boolean */,
) /*: "none" | "some" | "all" */ {
	const literal = pattern.dialect !== "regex";
	const text = prepared(pattern.text, pattern.slashed, false);
	if (inside && literal && leadsOut(text)) return "none";
	const start = prepared(root, pattern.slashed, pattern.folded);
	let most /*: "none" | "some" */ = "none";
	for (const one of pattern.automata()) {
		const places = reached(one, start);
		if (places === "all") return "all";
		const nexts =
			places === "start"
				? [one.first]
				: places.map((place) => one.states[place][1]);
		for (const next of nexts) {
			if (next.some((place) => isOpenEnd(one.states, place))) return "all";
			if (next.length > 0) most = "some";
		}
	}
	return most;
}

/** Whether a place as rules name it is outside the working folder: it is absolute then. */
function isOutside(name /*: string */) /*: boolean */ {
	const isDrive = process.platform === "win32" && /^[A-Za-z]:\//.test(name);
	return isDrive || name.startsWith("/");
}

/** Whether a pattern is of places outside the working folder: names inside it are relative. `~` is the home folder. */
function leadsOut(pattern /*: string */) /*: boolean */ {
	return isOutside(pattern) || /^(?:~|\.\.)(?:\/|$)/.test(pattern);
}
