// ---------------------------------------------------------------------------
// The gate: what a call asks, and what becomes of it. A call that cannot be
// judged gets the strictest answer that any of its kind could get.

type Request = {
	permission: string;
	resource: string;
	// What is judged: this resource, everything below this folder (a search goes
	// through it), or whatever it could be, where that cannot be told.
	about: "this" | "below" | "anything";
};

/** A fault in the gate, or a policy without the agent, stops the call. */
async function gate(
	pi: Pi,
	agent: string,
	call: { toolName: string; input: unknown },
	context: Context,
	reviewed: string | null,
): Promise<{ block: boolean; reason: string } | undefined> {
	const input = isRecord(call.input) ? call.input : {};
	const asked = requests(call.toolName, input, context.cwd, reviewed);
	const waiting: Request[] = [];
	for (const request of asked) {
		const decision = judge(agent, request);
		if (decision.action === "deny") {
			return { block: true, reason: refusal(agent, request, decision) };
		}
		// Of a submitted plan somebody is asked by the review itself.
		const silent =
			decision.action === "allow" || request.permission === reviewed;
		if (!silent && !isApproved(context, agent, request)) waiting.push(request);
	}
	if (waiting.length === 0) return undefined;
	const reason = await ask(pi, agent, waiting, context);
	return reason === null ? undefined : { block: true, reason };
}

function judge(agent: string, { permission, resource, about }: Request) {
	if (about === "this") return decide(agent, permission, resource);
	const inside = about === "below" && !isOutside(resource);
	const root = about === "below" && resource !== "." ? `${resource}/` : "";
	return strictest(agent, permission, root, inside);
}

/** The requests of a call. Tools that are not pi's own ask for nothing in particular. */
function requests(
	tool: string,
	input: Record<string, unknown>,
	cwd: string,
	reviewed: string | null,
): Request[] {
	if (Object.hasOwn(FILE_TOOLS, tool)) {
		return fileRequests(tool, FILE_TOOLS[tool], input.path, cwd);
	}
	if (tool === "bash")
		return lineRequests(commands(String(input.command)), input);
	// Its grammar is another one.
	if (tool === "powershell") return lineRequests(null, input);
	if (tool === "subagent") return delegations(input);
	const permission = Object.hasOwn(POLICY.keys, tool)
		? POLICY.keys[tool]
		: tool;
	if (permission !== reviewed) return [about(permission, "*")];
	// A plan that is none is told by the tool itself.
	const names = places(input.filePath, cwd, false) ?? ["*"];
	return names.map((name) => about(permission, name));
}

const FILE_TOOLS: Record<string, string> = {
	read: "read",
	write: "edit",
	edit: "edit",
	ls: "list",
	find: "glob",
	grep: "grep",
};

function about(permission: string, resource: string): Request {
	return { permission, resource, about: "this" };
}

function lineRequests(
	parts: string[] | null,
	input: Record<string, unknown>,
): Request[] {
	if (parts !== null) return parts.map((part) => about("bash", part));
	return [
		{
			permission: "bash",
			resource: String(input.command),
			about: "anything",
		},
	];
}

/** Every agent that a delegation starts; one that names none could start any. */
function delegations(input: Record<string, unknown>): Request[] {
	const lists = [input.tasks, input.chain].filter((list) =>
		Array.isArray(list),
	);
	const names = [input, ...lists.flat()]
		.filter(isRecord)
		.map(({ agent }) => agent)
		.filter((name) => typeof name === "string");
	if (names.length > 0) return names.map((name) => about("task", name));
	return [{ permission: "task", resource: "*", about: "anything" }];
}

function isRecord(value: unknown): value is Record<string, unknown> {
	return typeof value === "object" && value !== null;
}

/** A file, by each of its places; one outside asks for its folder as well. */
function fileRequests(
	tool: string,
	permission: string,
	path: unknown,
	cwd: string,
): Request[] {
	const isFolder = tool === "ls" || tool === "find" || tool === "grep";
	const raw = path === undefined && isFolder ? "." : path;
	const names = places(raw, cwd, tool === "read");
	if (names === null) {
		return ["external_directory", permission].map((permission) => ({
			permission,
			resource: String(raw),
			about: "anything",
		}));
	}
	const isSearch = tool === "find" || tool === "grep";
	return names.flatMap((name) => {
		const end = Math.max(0, name.lastIndexOf("/"));
		const folder = isFolder ? name : name.slice(0, end);
		const outside = `${folder === "/" ? "" : folder}/*`;
		const guard = isOutside(name) ? [about("external_directory", outside)] : [];
		const own = about(permission, name);
		const below: Request = { ...own, about: "below" };
		return [...guard, own, ...(isSearch ? [below] : [])];
	});
}

/** What the model is told of a refusal: what, why, by which rule. */
function refusal(agent: string, request: Request, decision: Decision): string {
	const { permission, resource } = request;
	const what = `${permission} ${JSON.stringify(shortened(resource))}`;
	const unclear = request.about === "anything" && permission === "bash";
	const why = [
		`Refused by the policy for \`${agent}\`: ${what}.`,
		decision.reason === null ? "" : sentence(decision.reason),
		unclear
			? "This command line cannot be taken apart: write simple commands, one a call."
			: "",
		decision.rule === null
			? ""
			: `Rule: deny ${decision.permission} ${JSON.stringify(decision.pattern)} (${decision.from}).`,
	];
	return why.filter((part) => part !== "").join(" ");
}

function sentence(text: string): string {
	return /[.!?…]$/.test(text) ? text : `${text}.`;
}

function shortened(text: string): string {
	return text.length > 200 ? `${text.slice(0, 200)}…` : text;
}

// ---------------------------------------------------------------------------
// Asking a person.

const ONCE = "Allow once";
const SESSION = "Allow for this session";
const NO = "No";
const APPROVAL = "policy-approval";

/** Asks; null: it may run, else why not. */
async function ask(
	pi: Pi,
	agent: string,
	waiting: Request[],
	context: Context,
): Promise<string | null> {
	const told = waiting.map(
		({ permission, resource }) => `${permission} ${shortened(resource)}`,
	);
	const what = [...new Set(told)].join("\n");
	if (!context.hasUI) {
		return `The policy for \`${agent}\` asks a person first, and none is here: ${what}`;
	}
	const answer = await context.ui.select(
		`The policy asks:\n${what}`,
		[ONCE, SESSION, NO],
		{ signal: context.signal },
	);
	if (context.signal?.aborted || (answer !== ONCE && answer !== SESSION)) {
		return `The person did not allow it: ${what}`;
	}
	if (answer === SESSION) {
		for (const { permission, resource, about } of waiting) {
			pi.appendEntry(APPROVAL, { agent, permission, resource, about });
		}
	}
	return null;
}

/** Whether the same request was allowed for this session. It never lifts a deny. */
function isApproved(
	context: Context,
	agent: string,
	request: Request,
): boolean {
	return branch(context).some(
		({ type, customType, data }) =>
			type === "custom" &&
			customType === APPROVAL &&
			isRecord(data) &&
			data.agent === agent &&
			data.permission === request.permission &&
			data.resource === request.resource &&
			data.about === request.about,
	);
}

/** The entries of the active path, from the root on. */
function branch(context: Context): Entry[] {
	return context.sessionManager.getBranch() as Entry[];
}
