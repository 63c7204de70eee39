// How a request is decided: by the LAST rule whose permission and pattern both
// match, and by nobody: then a person is asked. Patterns are automata over
// UTF-16 units, followed state by state and never backtracked, so the work is
// bounded by the length of the pattern times the length of the text.

/*::
export type Action = "allow" | "ask" | "deny";

// Ranges of UTF-16 units, inclusive: low, high, low, high, ...
type Units = readonly number[];

// Part of a word: letters, one unit of a set, or any run of units of a set.
type Part = string | { readonly one: Units } | { readonly many: Units };

// A state is entered by reading a unit of its set.
type State = readonly [units: Units, next: readonly number[], last: boolean];

type Automaton = {
	readonly first: readonly number[];
	readonly empty: boolean;
	readonly states: readonly State[];
};

type Pattern = {
	readonly text: string;
	readonly dialect: "wildcard" | "exact" | "prefix" | "glob" | "regex";
	// How a text is brought into the form that the automata read.
	readonly slashed: boolean;
	readonly folded: boolean;
	readonly automata: () => readonly Automaton[];
};

type Rule = {
	readonly action: Action;
	readonly permission: Pattern;
	readonly pattern: Pattern;
	// What its author said of it, and where it was written.
	readonly reason?: string;
	readonly from: string;
};

type Table = {
	// When a denied tool disappears: when the last rule that speaks of it denies
	// all, when any does, or never.
	readonly visibility: "last-deny" | "bare-deny" | "fixed";
	// Tools whose permission has another name.
	readonly keys: { readonly [tool: string]: string };
	readonly defaultAgent: string | null;
	readonly agents: { readonly [agent: string]: readonly Rule[] };
};

export type Decision = {
	readonly action: Action;
	// The rule that decides, by its place among the agent's rules, counted from 1;
	// null: none matches.
	readonly rule: number | null;
	readonly permission: string | null;
	readonly pattern: string | null;
	readonly reason: string | null;
	readonly from: string | null;
};
*/

const ALL /*: Units */ = [0, 0xffff];

/** A value that is worked out when it is first needed, and kept. */
function once(make /*: () => readonly Automaton[] */) {
	let made /*: readonly Automaton[] | undefined */;
	return () /*: readonly Automaton[] */ => {
		made ??= make();
		return made;
	};
}

/** The automaton of a word: one state a part, in a row. */
function automaton(word /*: readonly Part[] */) /*: Automaton */ {
	const parts /*: { units: Units; many: boolean }[] */ = [];
	for (const part of word) {
		if (typeof part !== "string") {
			const many = "many" in part;
			parts.push({ units: many ? part.many : part.one, many });
			continue;
		}
		for (let at = 0; at < part.length; at++) {
			const unit = part.charCodeAt(at);
			parts.push({ units: [unit, unit], many: false });
		}
	}
	// From behind: what can follow a part, and whether all after it can be none.
	const states /*: State[] */ = [];
	let following /*: number[] */ = [];
	let ends = true;
	for (let at = parts.length - 1; at >= 0; at--) {
		const { units, many } = parts[at];
		states[at] = [units, many ? [at, ...following] : following, ends];
		following = many ? [at, ...following] : [at];
		ends = ends && many;
	}
	return { first: following, empty: ends, states };
}

/** The word of a wildcard: `*` is any run of units, `?` is one. */
function wildcardWord(text /*: string */) /*: Part[] */ {
	const word /*: Part[] */ = [];
	// Two runs in a row are one.
	for (const part of text.replace(/\*+/g, "*").split(/([*?])/)) {
		if (part === "?") word.push({ one: ALL });
		else if (part === "*") word.push({ many: ALL });
		else if (part !== "") word.push(part);
	}
	return word;
}

/** `*` and `?`; `\` is `/`; a final ` *` may be missing. */
function wildcard(text /*: string */, folded = false) /*: Pattern */ {
	const words = () => {
		const plain = prepared(text, true, folded);
		const head = plain.endsWith(" *") ? [plain.slice(0, -2)] : [];
		return [plain, ...head].map((one) => automaton(wildcardWord(one)));
	};
	const automata = once(words);
	return { text, dialect: "wildcard", slashed: true, folded, automata };
}

/** The text itself. */
function exact(text /*: string */, folded = false) /*: Pattern */ {
	const words = () => [automaton([prepared(text, false, folded)])];
	const automata = once(words);
	return { text, dialect: "exact", slashed: false, folded, automata };
}

/** The text, alone or with a blank and anything behind it. */
function prefix(text /*: string */, folded = false) /*: Pattern */ {
	const words = () => {
		const plain = prepared(text, false, folded);
		return [automaton([plain]), automaton([plain, " ", { many: ALL }])];
	};
	const automata = once(words);
	return { text, dialect: "prefix", slashed: false, folded, automata };
}

/** Any of some words, which were read from a glob. */
function glob(text /*: string */, words /*: readonly (readonly Part[])[] */) /*: Pattern */ {
	const automata = once(() => words.map(automaton));
	// Where letters are folded, the sets hold both.
	return { text, dialect: "glob", slashed: false, folded: false, automata };
}

/** The states of a regular expression. */
function regex(text /*: string */, states /*: Automaton */, folded = false) /*: Pattern */ {
	const automata = once(() => [states]);
	return { text, dialect: "regex", slashed: false, folded, automata };
}

/**
 * A text as automata read it. Half a surrogate pair becomes what every program
 * that writes it as bytes makes of it.
 */
function prepared(text /*: string */, slashed /*: boolean */, folded /*: boolean */) /*: string */ {
	const whole = text.replace(
		/[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g,
		"\ufffd",
	);
	const slashes = slashed ? whole.replaceAll("\\", "/") : whole;
	return folded ? fold(slashes) : slashes;
}

/** Upper case, unit by unit, and never from outside ASCII into it. */
function fold(text /*: string */) /*: string */ {
	let out = "";
	for (let at = 0; at < text.length; at++) {
		const unit = text.charAt(at);
		const upper = unit.toUpperCase();
		const ascii = upper.charCodeAt(0) < 128 && unit.charCodeAt(0) >= 128;
		out += upper.length === 1 && !ascii ? upper : unit;
	}
	return out;
}

function holds(units /*: Units */, unit /*: number */) /*: boolean */ {
	let low = 0;
	let high = units.length / 2;
	while (low < high) {
		const middle = (low + high) >> 1;
		if (unit < units[2 * middle]) high = middle;
		else if (unit > units[2 * middle + 1]) low = middle + 1;
		else return true;
	}
	return false;
}

/** A state that everything leads back to, and where a match can end. */
function isOpenEnd(states /*: readonly State[] */, at /*: number */) {
	const [units, next, last] = states[at];
	const all = units.length === 2 && units[0] === 0 && units[1] === 0xffff;
	return all && last && next.includes(at);
}

/**
 * The states reached by a text: those that the last unit entered, "start" where
 * there was none, and "all" once everything that can follow matches.
 */
function reached(
	{ first, states } /*: Automaton */,
	text /*: string */,
) /*: readonly number[] | "start" | "all" */ {
	const entered = new Uint32Array(states.length);
	let places /*: readonly number[] */ = [];
	for (let at = 0; at < text.length; at++) {
		const unit = text.charCodeAt(at);
		const now /*: number[] */ = [];
		const sources =
			at === 0 ? [first] : places.map((place) => states[place][1]);
		for (const targets of sources) {
			for (const target of targets) {
				if (entered[target] === at + 1 || !holds(states[target][0], unit))
					continue;
				if (isOpenEnd(states, target)) return "all";
				entered[target] = at + 1;
				now.push(target);
			}
		}
		if (now.length === 0) return now;
		places = now;
	}
	return text === "" ? "start" : places;
}

/** Whether a pattern matches the whole of a text. */
function matches(pattern /*: Pattern */, text /*: string */) /*: boolean */ {
	if (pattern.dialect === "wildcard" && pattern.text === "*") return true;
	const value = prepared(text, pattern.slashed, pattern.folded);
	return pattern.automata().some((one) => {
		const places = reached(one, value);
		if (places === "start") return one.empty;
		return places === "all" || places.some((place) => one.states[place][2]);
	});
}

function rulesOf(agent /*: string */) /*: readonly Rule[] */ {
	if (Object.hasOwn(POLICY.agents, agent)) return POLICY.agents[agent];
	const known = Object.keys(POLICY.agents).join(", ");
	throw new RangeError(`no agent is named \`${agent}\`; there are: ${known}`);
}

/** What becomes of a request that no rule matches: for each caller its own. */
function unsaid() /*: Decision */ {
	return {
		action: "ask",
		rule: null,
		permission: null,
		pattern: null,
		reason: null,
		from: null,
	};
}

function byRule(rule /*: Rule */, at /*: number */) /*: Decision */ {
	return {
		action: rule.action,
		rule: at + 1,
		permission: rule.permission.text,
		pattern: rule.pattern.text,
		reason: rule.reason ?? null,
		from: rule.from,
	};
}

/** Decides a request of an agent. An agent that does not exist is an error. */
export function decide(agent /*: string */, permission /*: string */, resource /*: string */) /*: Decision */ {
	const rules = rulesOf(agent);
	for (let at = rules.length - 1; at >= 0; at--) {
		const rule = rules[at];
		const speaks = matches(rule.permission, permission);
		if (speaks && matches(rule.pattern, resource)) return byRule(rule, at);
	}
	return unsaid();
}
