// Loaded before the extension under test: notes every call that reaches the gate and how it ends, brings stand-in tools, and
// commands for what the protocol has none for.
import { appendFileSync } from "node:fs";

const note = (entry: object) => appendFileSync(process.env.WATCH_LOG ?? "/dev/null", `${JSON.stringify(entry)}\n`);

export default function watch(pi: any) {
	for (const tool of JSON.parse(process.env.WATCH_TOOLS ?? "[]")) {
		pi.registerTool({
			name: tool.name,
			label: tool.name,
			description: `Stand-in for ${tool.name}`,
			parameters: { type: "object", properties: {}, additionalProperties: true },
			async execute(_id: string, params: any, signal: any, _update: any, context: any) {
				for (const call of tool.calls ? (params.calls ?? []) : []) {
					await context.executeTool(call.tool, call.input, { signal });
				}
				return { content: [{ type: "text", text: `${tool.name} ran` }], details: {} };
			},
		});
	}
	pi.on("tool_call", (call: any) => note({ is: "asked", id: call.toolCallId, tool: call.toolName }));
	pi.on("tool_execution_end", (call: any) =>
		note({
			is: "ended",
			id: call.toolCallId,
			tool: call.toolName,
			failed: call.isError,
			details: call.result?.details,
			text: (call.result?.content ?? []).map((part: any) => part.text ?? "").join("\n"),
		}),
	);
	pi.registerCommand("watch-path", {
		description: "Note the entries of the active path",
		handler: async (name: string, context: any) => {
			const session = context.sessionManager;
			note({ is: "path", name, leaf: session.getLeafId(), entries: session.getBranch() });
		},
	});
	pi.registerCommand("watch-tree", {
		description: "Go to an entry of the session",
		handler: async (id: string, context: any) => {
			await context.navigateTree(id.trim(), { summarize: false });
		},
	});
	pi.registerCommand("watch-reload", {
		description: "Reload the extensions",
		handler: async (_: string, context: any) => {
			await context.reload();
		},
	});
}
