// ---------------------------------------------------------------------------
// Where a path leads: pi's own reading of it, and every place on the disk that it
// can stand for. Links are followed one by one, so that `..` behind a link goes
// up from where the link leads.

const fs = () => process.getBuiltinModule("node:fs");
const paths = () => process.getBuiltinModule("node:path");

/**
 * The names of all places of a path: `a/b` in the working folder (`.` itself),
 * absolute outside of it. null: it cannot be told.
 */
function places(path: unknown, cwd: string, reads: boolean): string[] | null {
	if (typeof path !== "string" || path.trim() === "") return null;
	if (path.includes("\0")) return null;
	try {
		const here = fs().realpathSync(cwd);
		const names = readings(path).flatMap((reading) => {
			const { resolve, isAbsolute } = paths();
			const whole = isAbsolute(reading) ? reading : `${cwd}/${reading}`;
			const written = resolve(whole);
			const others = reads ? respelled(written) : [];
			return [
				nameOf(written, [cwd, here]),
				...[whole, written, ...others].map((one) =>
					nameOf(followed(one), [here]),
				),
				...others.map((one) => nameOf(one, [cwd, here])),
			];
		});
		return [...new Set(names)];
	} catch {
		return null;
	}
}

/** How pi reads a path; a file URL is one for pi 1.x and a name before it. */
function readings(path: string): string[] {
	const plain = path
		.replace(/[\u00a0\u2000-\u200a\u202f\u205f\u3000]/g, " ")
		.replace(/^@/, "");
	if (process.platform === "win32") refuseOddNames(plain);
	if (/^~(?:$|\/|\\)/.test(plain)) {
		const home = process.getBuiltinModule("node:os").homedir();
		return [home + plain.slice(1)];
	}
	if (!plain.startsWith("file://")) return [plain];
	return [process.getBuiltinModule("node:url").fileURLToPath(plain), plain];
}

/** Windows takes more spellings of a path than can be judged. */
function refuseOddNames(path: string): void {
	const rest = path.replace(/^[A-Za-z]:[\\/]/, "");
	const odd = /^[\\/]|[:*?"<>|]|[. ](?:[\\/]|$)/.test(rest);
	if (odd && !/^\.{0,2}(?:[\\/]\.{1,2})*$/.test(rest)) {
		throw new Error("not a plain path");
	}
}

/** Other spellings that the read tool tries where the file is not there. */
function respelled(path: string): string[] {
	if (fs().existsSync(path)) return [];
	const narrow = path.replace(/ (AM|PM)\./gi, "\u202f$1.");
	const parted = path.normalize("NFD");
	const curly = (text: string) => text.replaceAll("'", "\u2019");
	const all = [narrow, parted, curly(path), curly(parted)];
	return all.filter((one) => one !== path && fs().existsSync(one));
}

/** The place on the disk that the system would go to; what is not there yet stays as it is. */
function followed(path: string): string {
	const { parse, dirname, join, sep } = paths();
	const split = (text: string) => text.split(sep === "/" ? "/" : /[\\/]/);
	let at = parse(path).root;
	let rest = split(path.slice(at.length));
	for (let links = 0; rest.length > 0; ) {
		const [part, ...after] = rest;
		rest = after;
		if (part === "" || part === ".") continue;
		if (part === "..") {
			at = dirname(at);
			continue;
		}
		const next = join(at, part);
		const target = linkTarget(next);
		if (target === null) {
			at = next;
			continue;
		}
		links += 1;
		if (links > 40) throw new Error("too many links");
		const root = parse(target).root;
		if (root !== "") at = root;
		rest = [...split(target.slice(root.length)), ...rest];
	}
	return spelled(at);
}

/** Where a link leads; null: it is none, or nothing is there. */
function linkTarget(path: string): string | null {
	const entry = fs().lstatSync(path, { throwIfNoEntry: false });
	return entry?.isSymbolicLink() ? fs().readlinkSync(path) : null;
}

/** The path as the disk spells it, where letters' case does not count. */
function spelled(path: string): string {
	if (process.platform !== "win32" && process.platform !== "darwin")
		return path;
	const { dirname, basename, join } = paths();
	if (dirname(path) === path) return path;
	if (fs().existsSync(path)) return fs().realpathSync.native(path);
	return join(spelled(dirname(path)), basename(path));
}

/** A place as rules name it, seen from one of some folders. */
function nameOf(place: string, folders: string[]): string {
	const { relative, isAbsolute, sep } = paths();
	for (const folder of folders) {
		const name = relative(folder, place);
		if (name === "") return ".";
		const up = name === ".." || name.startsWith(`..${sep}`);
		if (!up && !isAbsolute(name)) return name.replaceAll(sep, "/");
	}
	return place.replaceAll(sep, "/");
}
