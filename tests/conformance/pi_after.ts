// Loaded behind the extension under test: it hears of the calls that passed the gate.
import { appendFileSync } from "node:fs";

export default function watch(pi: any) {
	pi.on("tool_call", (call: any) => {
		appendFileSync(process.env.WATCH_LOG ?? "/dev/null", `${JSON.stringify({ is: "passed", id: call.toolCallId })}\n`);
	});
}
