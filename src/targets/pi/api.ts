// ---------------------------------------------------------------------------
// What this file uses of pi, both of its majors. The names are pi's own; no
// package is imported, so that the file works wherever it is copied to.

type Text = { type: "text"; text: string };

interface Entry {
	id: string;
	type: string;
	customType?: string;
	data?: unknown;
	details?: unknown;
	firstKeptEntryId?: string;
}

interface Context {
	cwd: string;
	hasUI: boolean;
	isIdle(): boolean;
	sessionManager: { getBranch(): object[] };
	ui: {
		select(
			title: string,
			options: string[],
			how?: { signal?: AbortSignal },
		): Promise<string | undefined>;
		editor(title: string, text?: string): Promise<string | undefined>;
		notify(message: string, kind?: "info" | "warning" | "error"): void;
		setStatus(key: string, text: string | undefined): void;
	};
	signal: AbortSignal | undefined;
}

interface Message {
	customType: string;
	content: string;
	display: boolean;
	details: { kind: "on" | "off" };
}

interface ToolResult {
	content: Text[];
	details: unknown;
	terminate?: boolean;
}

interface Tool {
	name: string;
	label: string;
	description: string;
	parameters: object;
	executionMode?: "sequential" | "parallel";
	// pi 1.x: scripts and other tools cannot call it. 0.7x does not look at it.
	exposure?: "model-only";
	execute(
		id: string,
		params: unknown,
		signal: AbortSignal | undefined,
		onUpdate: unknown,
		context: Context,
	): Promise<ToolResult>;
}

type Handler<Event, Result> = (
	event: Event,
	context: Context,
) => Result | undefined | Promise<Result | undefined>;

interface Pi {
	on(
		event: "tool_call",
		handler: Handler<
			{ toolName: string; input: unknown },
			{ block: boolean; reason: string }
		>,
	): unknown;
	on(
		event: "before_agent_start",
		handler: Handler<unknown, { message: Message }>,
	): unknown;
	on(event: "session_start", handler: Handler<unknown, undefined>): unknown;
	on(event: "session_tree", handler: Handler<unknown, undefined>): unknown;
	on(event: "session_compact", handler: Handler<unknown, undefined>): unknown;
	registerTool(tool: Tool): void;
	registerCommand(
		name: string,
		command: {
			description: string;
			handler(args: string, context: Context): Promise<void>;
		},
	): void;
	appendEntry(type: string, data: unknown): void;
	sendMessage(message: Message, how: { deliverAs: "steer" }): unknown;
}
