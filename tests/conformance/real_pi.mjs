// Plays scenarios against a real pi, with a scripted model on the loopback address.
//
//   node real_pi.mjs --pi CLI --version V --node NODE --extensions FOLDER --scenarios FILE... --seconds N [--only ID] [--jobs N]
//
// FOLDER holds one compiled extension for each policy. Ends by itself after N seconds at the latest; then the rest counts as
// failed. The last line counts; the exit code is 1 if anything failed.
import { spawn } from "node:child_process";
import * as fs from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { brokenAt, Model } from "./pi_model.mjs";

const { values: given } = parseArgs({
	options: {
		pi: { type: "string" },
		version: { type: "string" },
		node: { type: "string" },
		extensions: { type: "string" },
		scenarios: { type: "string", multiple: true },
		seconds: { type: "string" },
		only: { type: "string" },
		jobs: { type: "string", default: "2" },
		keep: { type: "boolean" },
	},
});
const here = dirname(fileURLToPath(import.meta.url));
const deadline = Date.now() + Number(given.seconds) * 1000;
const pause = (ms) => new Promise((done) => setTimeout(done, ms));

/** One pi that speaks lines of JSON. */
class Program {
	#waiting = new Map();
	#count = 0;
	lastSaid = Date.now();
	errors = "";

	constructor(world, more) {
		const args = [given.pi, "--mode", "rpc", ...world.arguments(), ...more];
		this.process = spawn(given.node, args, { cwd: world.cwd, env: world.environment() });
		this.ended = new Promise((done) => this.process.once("close", done));
		this.process.stderr.on("data", (text) => {
			this.errors += text;
		});
		let rest = "";
		this.process.stdout.setEncoding("utf8").on("data", (text) => {
			const lines = (rest + text).split("\n");
			rest = lines.pop();
			for (const line of lines.filter((line) => line.startsWith("{"))) this.#hear(JSON.parse(line));
		});
		this.process.once("close", () => {
			this.isClosed = true;
			for (const { fail } of this.#waiting.values()) fail(new Error(`pi ended: ${this.errors.slice(-300)}`));
		});
	}

	#hear(said) {
		if (said.type === "response") {
			this.#waiting.get(said.id)?.done(said);
			this.#waiting.delete(said.id);
			return;
		}
		this.lastSaid = Date.now();
		this.onSaid?.(said);
	}

	tell(request) {
		this.process.stdin.write(`${JSON.stringify(request)}\n`);
	}

	ask(request) {
		const id = `r${this.#count++}`;
		return new Promise((done, fail) => {
			const late = setTimeout(() => fail(new Error(`no answer to ${request.type}`)), 30_000);
			const settle = (end) => (value) => {
				clearTimeout(late);
				end(value);
			};
			this.#waiting.set(id, { done: settle(done), fail: settle(fail) });
			this.tell({ id, ...request });
		});
	}

	/** Until nothing runs, waits or was said for a while, three times in a row. */
	async settled() {
		const end = Date.now() + 30_000;
		for (let quiet = 0; quiet < 3; ) {
			if (Date.now() > end) throw new Error("it does not come to rest");
			const { data = {} } = await this.ask({ type: "get_state" });
			const busy = data.isStreaming || data.isCompacting || data.pendingMessageCount > 0;
			quiet = busy || Date.now() - this.lastSaid < 60 ? 0 : quiet + 1;
			await pause(30);
		}
	}

	async close() {
		if (this.isClosed) return;
		this.process.stdin.end();
		const kill = setTimeout(() => this.process.kill("SIGKILL"), 5_000);
		await this.ended;
		clearTimeout(kill);
	}
}

/** The folders of one scenario, and what was noted in them. */
class World {
	constructor(scenario) {
		this.scenario = scenario;
		this.base = fs.realpathSync(fs.mkdtempSync(join(tmpdir(), "real-pi-")));
		for (const name of ["project", "outside", "home", "agent", "sessions"]) fs.mkdirSync(join(this.base, name));
		this.cwd = join(this.base, "project");
		this.log = join(this.base, "log");
		fs.writeFileSync(this.log, "");
		for (const [name, text] of Object.entries(scenario.files)) {
			const path = join(this.cwd, name);
			fs.mkdirSync(text === "<dir>" ? path : dirname(path), { recursive: true });
			if (text !== "<dir>") fs.writeFileSync(path, text);
		}
		for (const name of scenario.mkdir ?? []) fs.mkdirSync(join(this.cwd, name), { recursive: true });
		for (const [name, target] of Object.entries(scenario.links ?? {})) fs.symlinkSync(target, join(this.cwd, name));
	}

	/** `$CWD`, `$OUT`, `$HOME` in data are this world's folders. */
	named(value) {
		const folders = { CWD: this.cwd, OUT: join(this.base, "outside"), HOME: join(this.base, "home"), BASE: this.base };
		const text = JSON.stringify(value).replace(/\$(CWD|OUT|HOME|BASE)\b/g, (_, name) => folders[name]);
		return JSON.parse(text);
	}

	environment() {
		return {
			PATH: `${dirname(given.node)}:${process.env.PATH}`,
			HOME: join(this.base, "home"),
			TERM: "dumb",
			LANG: "C.UTF-8",
			PI_CODING_AGENT_DIR: join(this.base, "agent"),
			PI_OFFLINE: "1",
			PI_TELEMETRY: "0",
			PI_SKIP_VERSION_CHECK: "1",
			WATCH_LOG: this.log,
			WATCH_TOOLS: JSON.stringify(this.scenario.tools ?? []),
		};
	}

	configure(url) {
		const cost = { input: 1, output: 1, cacheRead: 0.1, cacheWrite: 1 };
		const model = { id: "scripted", name: "scripted", reasoning: false, input: ["text"], cost };
		const models = [{ ...model, contextWindow: 200_000, maxTokens: 4096 }];
		const provider = { baseUrl: url, api: "anthropic-messages", apiKey: "none", models };
		const write = (name, value) => fs.writeFileSync(join(this.base, "agent", name), JSON.stringify(value));
		write("models.json", { providers: { loopback: provider } });
		write("settings.json", { retry: { enabled: false }, ...this.scenario.settings });
	}

	arguments() {
		const folder = join(given.extensions, this.scenario.policy ?? "pi");
		const [before, after] = ["pi_before.ts", "pi_after.ts"].flatMap((name) => [["-e", join(here, name)]]);
		let tested = ["--no-extensions", ...before, "-e", folder];
		if (this.scenario.load === "copy") {
			fs.mkdirSync(join(this.base, "agent", "extensions"), { recursive: true });
			fs.copyFileSync(join(folder, "index.ts"), join(this.base, "agent", "extensions", "plan-mode.ts"));
			tested = before;
		}
		const session = ["--session-dir", join(this.base, "sessions"), "--no-skills", "--no-prompt-templates"];
		const more = this.scenario.args ?? [];
		return ["--provider", "loopback", "--model", "scripted", ...session, ...tested, ...after, ...more];
	}

	noted() {
		const lines = fs.readFileSync(this.log, "utf8").split("\n").filter(Boolean);
		return lines.map((line) => JSON.parse(line));
	}

	text(name) {
		const path = resolve(this.cwd, this.named(name));
		return fs.existsSync(path) ? fs.readFileSync(path, "utf8") : null;
	}

	entries() {
		const names = fs.readdirSync(join(this.base, "sessions"), { recursive: true });
		const files = names.filter((name) => name.endsWith(".jsonl"));
		const lines = files.flatMap((name) => fs.readFileSync(join(this.base, "sessions", name), "utf8").split("\n"));
		return lines.filter(Boolean).map((line) => JSON.parse(line));
	}
}

/** What became of the calls of a step. */
function verdicts(noted, step) {
	const calls = new Map();
	for (const { id, is, ...more } of noted) {
		if (typeof id !== "string" || !id.includes(`toolu_${step}_`)) continue;
		calls.set(id, { ...calls.get(id), ...more, [is]: true });
	}
	return [...calls].map(([id, call]) => {
		let is = call.failed ? "failed" : "ran";
		if (!call.passed) is = "blocked";
		if (!call.asked) is = "invalid";
		if (!call.ended) is = "unfinished";
		const outcome = call.details?.outcome ?? (call.failed ? "error" : undefined);
		return { is, outcome, tool: call.tool, text: call.text ?? "", nested: id.includes("/") };
	});
}

/** The hidden messages among new entries. */
function injected(entries) {
	const messages = entries.filter(({ type }) => type === "custom_message");
	return messages.map(({ content }) => (/plan mode off/i.test(JSON.stringify(content)) ? "off" : "on"));
}

/** Plays a scenario in one process a session. */
class Play {
	constructor(world, model) {
		this.world = world;
		this.model = model;
		this.marks = new Map();
		this.jumps = new Set();
		this.open([]);
	}

	open(more) {
		this.pi = new Program(this.world, more);
		this.pi.onSaid = (said) => this.hear(said);
	}

	hear(said) {
		const { step } = this;
		if (said.type === "extension_error") step?.errors.push(`${said.event}: ${said.error}`);
		if (said.type !== "extension_ui_request") return;
		if (said.method === "setStatus") step?.status.push(said);
		if (!["select", "editor", "confirm", "input"].includes(said.method)) return;
		const reply = (answer) => this.pi.tell({ type: "extension_ui_response", id: said.id, ...answer });
		step?.dialogs.push(said);
		const answer = step?.answers.shift();
		if (answer === undefined) step?.errors.push(`an unexpected dialog: ${said.title}`);
		if (answer === "abort") {
			const began = Date.now();
			this.pi.ask({ type: "abort" }).then(() => {
				step.abortedIn = Date.now() - began;
			});
			setTimeout(() => reply({ cancelled: true }), 1_500);
			return;
		}
		const value = answer?.[said.method];
		const option = said.options?.find((option) => option.toLowerCase().startsWith(String(value).toLowerCase()));
		const chosen = said.method === "select" ? option : value;
		reply(typeof chosen === "string" ? { value: chosen } : { cancelled: true });
	}

	async path(name) {
		const before = this.world.noted().length;
		await this.pi.ask({ type: "prompt", message: `/watch-path ${name}` });
		for (let tries = 0; tries < 100; tries++) {
			const path = this.world.noted().slice(before).find(({ is }) => is === "path");
			if (path) return path;
			await pause(20);
		}
		throw new Error("the active path was not noted");
	}

	async file() {
		const { data } = await this.pi.ask({ type: "get_state" });
		return data.sessionFile;
	}

	async prompt(message, more = {}) {
		const { success, error } = await this.pi.ask({ type: "prompt", message, ...more });
		if (!success) this.step.refused = error;
	}

	/** From here on a request need not repeat the one before. */
	jump() {
		this.jumps.add(this.model.requests.length);
	}

	kinds = {
		command: ({ text }) => this.prompt(text),
		turn: ({ user = "go", pad = 0 }) => this.prompt(user + " padding".repeat(pad / 8)),
		probe: () => this.prompt("probe"),
		steer: async ({ user = "go", text, behavior = "followUp" }) => {
			await this.prompt(user);
			await this.prompt(text, { streamingBehavior: behavior });
		},
		mark: async ({ name }) => {
			this.marks.set(name, (await this.path(name)).leaf);
		},
		tree: ({ to }) => {
			this.jump();
			return this.prompt(`/watch-tree ${this.marks.get(to)}`);
		},
		reload: () => this.prompt("/watch-reload"),
		resume: async () => {
			const file = await this.file();
			await this.pi.close();
			this.open(["--session", file]);
		},
		new: async () => {
			this.jump();
			this.marks.set("$previous", await this.file());
			await this.pi.ask({ type: "new_session" });
		},
		switch: ({ to = "$previous" }) => {
			this.jump();
			return this.pi.ask({ type: "switch_session", sessionPath: this.marks.get(to) });
		},
		fork: async ({ user }) => {
			this.jump();
			const { data } = await this.pi.ask({ type: "get_fork_messages" });
			await this.pi.ask({ type: "fork", entryId: data.messages.at(user).entryId });
		},
		clone: () => {
			this.jump();
			return this.pi.ask({ type: "clone" });
		},
		compact: async () => {
			this.jump();
			const { success, error } = await this.pi.ask({ type: "compact" });
			if (!success) this.step.refused = error;
		},
		file: ({ path, content }) => fs.writeFileSync(resolve(this.world.cwd, path), content),
		bash: ({ command }) => this.pi.ask({ type: "bash", command }),
	};

	async play(number, step) {
		const known = new Set((await this.path("before")).entries.map(({ id }) => id));
		const before = this.world.noted().length;
		const said = { answers: [...(step.ui ?? [])], dialogs: [], status: [], errors: [] };
		this.step = said;
		this.model.script(`s${number}`, messages(step));
		await this.kinds[step.do](step);
		await this.pi.settled();
		const { entries } = await this.path("after");
		const calls = verdicts(this.world.noted().slice(before), `s${number}`);
		return { ...said, calls, injected: injected(entries.filter(({ id }) => !known.has(id))) };
	}
}

/** What the model says in a step: one message a call, or one with all of a batch. */
function messages({ do: kind, calls = [], batch }) {
	if (kind === "probe") return [[{ tool: "write", input: { path: "probe.ts", content: "x" } }]];
	return [...calls.map((call) => [call]), ...(batch ? [batch] : [])];
}

/** Print and JSON mode: one process, its commands and then one turn. */
async function playOnce(world, model, steps, mode) {
	const prompts = steps.map(({ text, user = "go" }) => text ?? user);
	const last = steps.length - 1;
	model.script(`s${last}`, messages(steps[last]));
	const how = mode === "json" ? ["--mode", "json"] : ["-p"];
	const args = [given.pi, ...how, ...world.arguments(), ...prompts];
	const pi = spawn(given.node, args, { cwd: world.cwd, env: world.environment(), stdio: "ignore" });
	const late = setTimeout(() => pi.kill("SIGKILL"), 40_000);
	await new Promise((done) => pi.once("close", done));
	clearTimeout(late);
	const played = steps.map(() => ({ dialogs: [], status: [], errors: [], calls: [], injected: undefined }));
	played[last].calls = verdicts(world.noted(), `s${last}`);
	played[last].injected = injected(world.entries());
	return played;
}

/** What of a step is not as expected. */
function wrong(step, got, world) {
	const out = [...got.errors];
	const expect = step.expect ?? {};
	const same = (what, is, should) => {
		if (JSON.stringify(is) !== JSON.stringify(should)) out.push(`${what}: ${JSON.stringify(is)}, not ${JSON.stringify(should)}`);
	};
	const own = got.calls.filter(({ nested }) => !nested);
	if (expect.calls && own.length > expect.calls.length) out.push(`${own.length} calls, not ${expect.calls.length}`);
	const probes = expect.writes ? [expect.writes === "open" ? "ran" : "blocked"] : [];
	for (const [at, expected] of (expect.calls ?? probes).entries()) {
		const { is, outcome, says = [], silent_on = [] } = typeof expected === "string" ? { is: expected } : expected;
		const call = own[at] ?? { is: "not-reached", text: "" };
		const text = call.text.toLowerCase();
		const told = `call ${at} ${call.tool ?? ""} (${call.text.slice(0, 120)})`;
		if (is && ![is].flat().includes(call.is)) out.push(`${told}: ${call.is}, not ${is}`);
		if (outcome && ![outcome].flat().includes(call.outcome)) out.push(`${told}: ${call.outcome}, not ${outcome}`);
		for (const word of says) if (!text.includes(word.toLowerCase())) out.push(`${told}: does not say ${word}`);
		for (const word of silent_on) if (text.includes(word.toLowerCase())) out.push(`${told}: says ${word}`);
	}
	if (expect.nested) same("nested calls", got.calls.filter(({ nested }) => nested).map(({ is }) => is), expect.nested);
	if (expect.dialogs !== undefined && world.isAsked) same("dialogs", got.dialogs.length, expect.dialogs);
	if (expect.options) same("options", got.dialogs[0]?.options, expect.options);
	if (expect.injected && got.injected) same("injected", got.injected, expect.injected);
	for (const kind of expect.injected_not ?? []) if (got.injected?.includes(kind)) out.push(`injected ${kind}`);
	for (const [name, text] of Object.entries(expect.files ?? {})) {
		const there = world.text(name);
		if (text === true ? there === null : there !== text) out.push(`${name} holds ${JSON.stringify(there)}`);
	}
	const limit = expect.abort_within_ms;
	if (limit !== undefined && !(got.abortedIn < limit)) out.push(`the dialog outlived the abort: ${got.abortedIn} ms`);
	if (expect.refused !== undefined) same("refused", got.refused !== undefined, expect.refused);
	const status = got.status.filter(({ statusKey }) => statusKey?.includes("plan")).at(-1);
	if (expect.status) same("status", status?.statusText ? "on" : "off", expect.status);
	return out;
}

/** What of the requests is not as it should be: each repeats the one before and only adds to its end. */
function wrongOnTheWire({ expect = {} }, requests, jumps) {
	const out = [];
	let before;
	for (const [at, request] of requests.entries()) {
		if (jumps.has(at)) before = undefined;
		// Summaries are conversations of their own.
		if (!(request.tools?.length > 0)) continue;
		const broken = before && brokenAt(before, request);
		if (broken && (expect.cache ?? "append-only") === "append-only") {
			out.push(`request ${at} does not repeat the one before: ${broken.slice(0, 200)}`);
		}
		before = request;
	}
	const tools = requests.filter(({ tools }) => tools?.length > 0).map(({ tools }) => tools.map(({ name }) => name));
	const kinds = new Set(tools.map((names) => names.join()));
	if (expect.toolsets !== undefined && kinds.size !== expect.toolsets) out.push(`${kinds.size} lists of tools`);
	for (const name of expect.tools_include ?? []) {
		if (!tools.every((names) => names.includes(name))) out.push(`a request lacks the tool ${name}`);
	}
	return out;
}

async function run(scenario) {
	const world = new World(scenario);
	const model = new Model();
	world.configure(await model.start());
	world.isAsked = (scenario.mode ?? "rpc") === "rpc";
	const steps = world.named(scenario.steps);
	const out = [];
	let jumps = new Set();
	try {
		if (world.isAsked) {
			const play = new Play(world, model);
			try {
				await play.pi.settled();
				for (const [number, step] of steps.entries()) {
					const told = wrong(step, await play.play(number, step), world);
					out.push(...told.map((text) => `step ${number} (${step.do}): ${text}`));
				}
			} finally {
				await play.pi.close();
			}
			jumps = play.jumps;
		} else {
			const played = await playOnce(world, model, steps, scenario.mode);
			out.push(...steps.flatMap((step, number) => wrong(step, played[number], world)));
		}
		if (model.requests.length === 0 && steps.some((step) => step.do === "turn")) out.push("the model was never asked");
		out.push(...wrongOnTheWire(scenario, model.requests, jumps));
	} catch (error) {
		out.push(`it could not be played: ${error.message}`);
	} finally {
		await model.stop();
		if (given.keep) console.log(`kept ${world.base}`);
		else fs.rmSync(world.base, { recursive: true, force: true });
	}
	return out;
}

const isOlder = (one, other) => {
	const [a, b] = [one, other].map((version) => version.split(".").map(Number));
	const at = b.findIndex((part, at) => part !== (a[at] ?? 0));
	return at !== -1 && (a[at] ?? 0) < b[at];
};
const todo = given.scenarios.flatMap((file) => {
	const { defaults = {}, scenarios } = JSON.parse(fs.readFileSync(file, "utf8"));
	return scenarios.map((one) => ({ ...defaults, ...one, files: { ...defaults.files, ...one.files } }));
});
const wanted = todo.filter(({ id }) => !given.only || given.only.split(",").includes(id));
const counts = { passed: 0, failed: 0, skipped: 0 };

async function work() {
	for (let scenario = wanted.shift(); scenario; scenario = wanted.shift()) {
		const { id, needs_pi = "0" } = scenario;
		if (isOlder(given.version, needs_pi)) {
			counts.skipped += 1;
			continue;
		}
		const told = Date.now() > deadline ? ["the time is over"] : await run(scenario);
		counts[told.length === 0 ? "passed" : "failed"] += 1;
		if (told.length > 0) console.log([`FAILED ${id}`, ...told].join("\n  "));
	}
}

await Promise.all(Array.from({ length: Number(given.jobs) }, work));
console.log(`pi ${given.version}: ${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped`);
process.exitCode = counts.failed > 0 || counts.passed === 0 ? 1 : 0;
