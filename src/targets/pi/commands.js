// ---------------------------------------------------------------------------
// Command lines: each command of a line is asked by itself.

/**
 * The commands of a line, those in substitutions too. null: it cannot be told
 * what it runs, so it is judged as if it could be anything.
 */
function commands(line /*: string */) /*: string[] | null */ {
	const found /*: Found */ = { parts: [], depth: 0 };
	if (scan(line, 0, "", found) === -1) return null;
	const parts = found.parts.map(withoutWords).filter((part) => part !== "");
	return parts.every(isPlain) ? [...new Set(parts)] : null;
}

/*::
type Found = { parts: string[]; depth: number };
*/

/** Lines that are nested deeper are not known. */
const DEEPEST = 64;

/** Up to the closing bracket or the end; gives the place behind it, or -1. */
function scan(line /*: string */, from /*: number */, close /*: string */, found /*: Found */) /*: number */ {
	if (found.depth === DEEPEST) return -1;
	found.depth += 1;
	let part = "";
	// The same with one space for each run of blanks: rules are written so.
	let spaced = "";
	let gap = "";
	const add = (text /*: string */) => {
		const inside = part !== "" && gap !== "";
		part += (inside ? gap : "") + text;
		spaced += (inside ? " " : "") + text;
		gap = "";
	};
	const cut = () => {
		found.parts.push(part, spaced);
		part = spaced = gap = "";
	};
	const isStart = () => part === "" || gap !== "";
	for (let at = from; at < line.length; ) {
		const rest = line.slice(at, at + 3);
		const next = rest.charAt(0);
		if (next === close) {
			cut();
			found.depth -= 1;
			return at + 1;
		}
		if (rest.startsWith("\\\n")) {
			at += 2;
			continue;
		}
		const past = word(line, at, found);
		if (past === -1) return -1;
		if (past > at) {
			add(line.slice(at, past));
			at = past;
		} else if (isBlank(next)) {
			gap += next;
			at += 1;
		} else if (next === "#" && isStart()) {
			// In arithmetic it begins no comment, and brackets could be that.
			if (close !== "") return -1;
			const newline = line.indexOf("\n", at);
			at = newline === -1 ? line.length : newline;
		} else if (next === "(") {
			// Arrays and patterns with brackets are none of the commands known here.
			if (!isStart()) return -1;
			cut();
			at = scan(line, at + 1, ")", found);
			if (at === -1) return -1;
		} else if (next === ")") {
			return -1;
		} else if (/[;&|\n]/.test(next)) {
			cut();
			at += 1;
		} else {
			add(next);
			at += 1;
		}
	}
	cut();
	found.depth -= 1;
	return close === "" ? line.length : -1;
}

/** What parts words for the shell: no other blank does. */
function isBlank(letter /*: string */) /*: boolean */ {
	return letter === " " || letter === "\t";
}

/** The place behind what stands together here: the same place if nothing does, -1 if it is not known. */
function word(line /*: string */, at /*: number */, found /*: Found */) /*: number */ {
	const rest = line.slice(at, at + 3);
	if (rest.startsWith("\\")) return at + 2 > line.length ? -1 : at + 2;
	if (rest.startsWith("'")) {
		const end = line.indexOf("'", at + 1);
		return end === -1 ? -1 : end + 1;
	}
	if (rest.startsWith('"')) return quoted(line, at + 1, found);
	if (/^(?:\$\(|[<>]\()/.test(rest)) return scan(line, at + 2, ")", found);
	if (rest.startsWith("`")) return ticked(line, at + 1, found);
	// Behind such a sign the shell looks over the end of the line.
	if (/^(?:\$['"[]|[$<>]\\\n)/.test(rest)) return -1;
	if (rest.startsWith("${")) return braced(line, at);
	if (rest.startsWith("<<<")) return at + 3;
	if (rest.startsWith("<<")) return -1;
	// Redirections with signs that part commands elsewhere.
	if (/^(?:&>|[<>]&|>\|)/.test(rest)) return at + 2;
	return at;
}

function quoted(line /*: string */, from /*: number */, found /*: Found */) /*: number */ {
	for (let at = from; at < line.length; ) {
		const rest = line.slice(at, at + 2);
		if (rest.startsWith('"')) return at + 1;
		if (line.startsWith("$\\\n", at)) return -1;
		let past = at + 1;
		if (rest.startsWith("\\")) past = at + 2;
		else if (rest === "$(") past = scan(line, at + 2, ")", found);
		else if (rest === "${") past = braced(line, at);
		else if (rest.startsWith("`")) past = ticked(line, at + 1, found);
		if (past === -1) return -1;
		at = past;
	}
	return -1;
}

/** `${name}`; what does more is not known. */
function braced(line /*: string */, at /*: number */) /*: number */ {
	const whole = /^\$\{\w+\}/.exec(line.slice(at, at + 80));
	return whole === null ? -1 : at + whole[0].length;
}

/** Between backticks, where no backslash changes what is meant. */
function ticked(line /*: string */, from /*: number */, found /*: Found */) /*: number */ {
	const end = line.indexOf("`", from);
	const inner = line.slice(from, end);
	if (end === -1 || inner.includes("\\")) return -1;
	return scan(inner, 0, "", found) === -1 ? -1 : end + 1;
}

/** A command without the words around it that run nothing. */
function withoutWords(part /*: string */) /*: string */ {
	const bare = part.replace(
		/^(?:(?:if|then|elif|else|while|until|do|done|fi|time|\{|\}|!)(?:[ \t]+|$))+/,
		"",
	);
	return /^for[ \t]+\w+(?:[ \t]+in\b.*)?$/s.test(bare) ? "" : bare;
}

/** Whether it is plain which program a command runs. */
function isPlain(part /*: string */) /*: boolean */ {
	const [name] = part.split(/[ \t]/, 1);
	// An option is one of `time`, and brackets are a pattern of files.
	const odd = /^(?:case|esac|for|select|function|coproc|-.*)$/.test(name);
	return name === "[" || (!odd && /^[\w./+@%:,-]+$/.test(name));
}
