// A scripted model on the loopback address, in the wire format of Anthropic's Messages. It keeps every request.
import { createServer } from "node:http";

export class Model {
	requests = [];
	#script = [];
	#step = "none";

	/** What is answered from now on: a list of messages, each a list of calls. */
	script(step, messages) {
		this.#step = step;
		this.#script = [...messages];
	}

	async start() {
		this.server = createServer((request, response) => this.#answer(request, response));
		await new Promise((ready) => this.server.listen(0, "127.0.0.1", ready));
		return `http://127.0.0.1:${this.server.address().port}`;
	}

	async stop() {
		this.server.closeAllConnections();
		await new Promise((done) => this.server.close(done));
	}

	async #answer(request, response) {
		let text = "";
		for await (const part of request) text += part;
		let body;
		try {
			body = JSON.parse(text);
		} catch {
			response.writeHead(400).end("{}");
			return;
		}
		this.requests.push(body);
		// Summaries of the history are asked for without tools; they are no turn of the script.
		const calls = body.tools?.length > 0 ? (this.#script.shift() ?? []) : [];
		response.writeHead(200, { "content-type": "text/event-stream" });
		for (const event of this.#events(body.model, calls)) {
			response.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
		}
		response.end();
	}

	*#events(model, calls) {
		const usage = { input_tokens: 1, output_tokens: 1, cache_read_input_tokens: 0, cache_creation_input_tokens: 0 };
		const number = this.requests.length;
		const message = { id: `msg_${number}`, type: "message", role: "assistant", model, content: [], usage };
		yield { type: "message_start", message: { ...message, stop_reason: null, stop_sequence: null } };
		const blocks = calls.length > 0 ? calls : [null];
		for (const [index, call] of blocks.entries()) {
			const id = `toolu_${this.#step}_${number}_${index}`;
			const block = call ? { type: "tool_use", id, name: call.tool, input: {} } : { type: "text", text: "" };
			const delta = call
				? { type: "input_json_delta", partial_json: JSON.stringify(call.input ?? {}) }
				: { type: "text_delta", text: "Done." };
			yield { type: "content_block_start", index, content_block: block };
			yield { type: "content_block_delta", index, delta };
			yield { type: "content_block_stop", index };
		}
		const stop_reason = calls.length > 0 ? "tool_use" : "end_turn";
		yield { type: "message_delta", delta: { stop_reason, stop_sequence: null }, usage: { output_tokens: 2 } };
		yield { type: "message_stop" };
	}
}

/** A request as the parts that are cached, in their order: tools, system prompt, messages. */
function parts(body) {
	const plain = (_, value) => {
		if (value === null || typeof value !== "object" || Array.isArray(value)) return value;
		const { cache_control, ...rest } = value;
		return rest;
	};
	const list = (value) => (Array.isArray(value) ? value : [{ type: "text", text: value ?? "" }]);
	const text = (kind, value) => `${kind} ${JSON.stringify(value, plain)}`;
	return [
		...(body.tools ?? []).map((tool) => text("tool", tool)),
		...list(body.system).map((part) => text("system", part)),
		...(body.messages ?? []).flatMap(({ role, content }) => list(content).map((part) => text(role, part))),
	];
}

/** The first part of a request that the next one does not repeat; null: it only adds to it. */
export function brokenAt(before, after) {
	const now = parts(after);
	return parts(before).find((part, at) => part !== now[at]) ?? null;
}
