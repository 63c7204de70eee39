export default function policy(pi: Pi): void {
	let state: Phase = { on: STARTS_ON, told: false, untell: false };

	const show = (context: Context) =>
		context.ui.setStatus(
			"plan-mode",
			state.on ? `${PLAN.from} mode` : undefined,
		);
	const set = (next: Phase, context: Context, approved = false) => {
		state = next;
		pi.appendEntry(STATE, { ...state, approved });
		tellChildren(state.on);
		show(context);
	};
	// The path is the truth: it is read again whenever it may have changed.
	const replay = (_: unknown, context: Context) => {
		state = replayed(branch(context));
		tellChildren(state.on);
		show(context);
		return undefined;
	};

	pi.on("session_start", replay);
	pi.on("session_tree", replay);
	pi.on("session_compact", replay);

	pi.on("tool_call", (call, context) =>
		gate(pi, state.on ? PLAN.from : PLAN.to, call, context, PLAN.permission),
	);

	// Once for each phase, behind the history, and never in the system prompt.
	pi.on("before_agent_start", (_, context) => {
		state = replayed(branch(context));
		if (state.on && !state.told) {
			set({ ...state, told: true }, context);
			return { message: message("on") };
		}
		if (!state.on && state.untell) {
			set({ ...state, untell: false }, context);
			return { message: message("off") };
		}
		return undefined;
	});

	pi.registerCommand(PLAN.from, {
		description: `Turn ${PLAN.from} mode on or off`,
		handler: async (_, context) => {
			if (state.on && INHERITED) {
				context.ui.notify(`${PLAN.from} mode is that of the parent session`);
				return;
			}
			// Nobody tells a run that is going on but a message in its queue.
			const busy = !context.isIdle();
			const on = !state.on;
			set({ on, told: on && busy, untell: !on && !busy }, context);
			const kind = on ? "on" : "off";
			if (busy) pi.sendMessage(message(kind), { deliverAs: "steer" });
			context.ui.notify(`${PLAN.from} mode ${kind}`);
		},
	});

	// Registered once and always there: the tools are a part of the cached prefix.
	pi.registerTool({
		name: PLAN.tool,
		label: PLAN.tool,
		description: `Submit the plan for review in ${PLAN.from} mode: the path of the file that holds it. The file is read at once; to revise the plan, change the file and submit the same path again.`,
		parameters: {
			type: "object",
			properties: {
				filePath: {
					type: "string",
					description: "Path of the plan, in the working folder",
				},
			},
			required: ["filePath"],
			additionalProperties: false,
		},
		// In parallel a plan would be read before the write beside it is done.
		executionMode: "sequential",
		exposure: "model-only",
		execute: async (_id, params, signal, _onUpdate, context) => {
			if (!state.on) {
				throw new Error(
					`${PLAN.from} mode is off, so there is nothing to review: go on as asked.`,
				);
			}
			const given = isRecord(params) ? params.filePath : undefined;
			const plan = readPlan(given, context.cwd);
			const { outcome, feedback } = await review(plan, signal, context);
			// It may have been turned off by hand while the review was open.
			if (!state.on) return answer("cancelled", plan, "");
			if (outcome === "approved") {
				set({ on: false, told: false, untell: false }, context, true);
			}
			if (outcome === "recorded") {
				pi.appendEntry(RECORD, { path: plan.path, text: plan.text });
			}
			return answer(outcome, plan, feedback);
		},
	});
}

// ---------------------------------------------------------------------------
// The state, and how it is found again.

type Phase = {
	// Whether the session plans.
	on: boolean;
	// Whether the model was told so.
	told: boolean;
	// Whether it is still to be told that planning is over.
	untell: boolean;
};

const STATE = "policy-plan-state";
const NOTICE = "policy-plan-notice";
const RECORD = "policy-plan-record";

/**
 * The state at the end of the active path. What was told is taken from the
 * messages on it alone: a path can end between the note that something is told
 * and the message that tells it, and compaction folds messages away.
 */
function replayed(path: readonly Entry[]): Phase {
	let on = STARTS_ON;
	let told = -1;
	let untell = false;
	path.forEach((entry, at) => {
		if (entry.type === "custom" && entry.customType === STATE) {
			const { data } = entry;
			if (!isRecord(data) || typeof data.on !== "boolean" || data.on === on)
				return;
			on = data.on;
			told = -1;
			// After an approval, which tells it by itself, nothing is owed.
			untell = !on && data.approved !== true;
		} else if (
			entry.type === "custom_message" &&
			entry.customType === NOTICE &&
			isRecord(entry.details)
		) {
			if (entry.details.kind === "on" && on) told = at;
			if (entry.details.kind === "off") untell = false;
		} else if (entry.type === "compaction") {
			const kept = path.findIndex(({ id }) => id === entry.firstKeptEntryId);
			if (kept === -1 || told < kept) told = -1;
		}
	});
	return { on, told: told !== -1, untell };
}

function message(kind: "on" | "off"): Message {
	const content = kind === "on" ? PLAN.enter : PLAN.leave;
	return { customType: NOTICE, content, display: false, details: { kind } };
}

// A process that is started while this one plans plans as well.
const PARENT = "PI_POLICY_PLANNING";
const inherited = process.env[PARENT];
const INHERITED = inherited !== undefined && inherited !== String(process.pid);
const STARTS_ON = PLAN.starts || INHERITED;

function tellChildren(on: boolean): void {
	if (INHERITED) return;
	if (on) process.env[PARENT] = String(process.pid);
	else delete process.env[PARENT];
}

// ---------------------------------------------------------------------------
// The review of a plan.

type Plan = { path: string; text: string };

type Outcome =
	| "approved"
	| "revise"
	| "revise-empty"
	| "rejected"
	| "cancelled"
	| "recorded";

const APPROVE = "Approve — start implementation";
const REVISE = "Revise — give feedback";
const REJECT = "Reject — stop here";

/** The plan as it is on the disk now. What is no plan is an error, and asks nobody. */
function readPlan(given: unknown, cwd: string): Plan {
	if (typeof given !== "string" || given.trim() === "") {
		throw new Error(`${PLAN.tool} takes the path of the plan in \`filePath\`.`);
	}
	const names = places(given, cwd, false);
	const fits = (name: string) =>
		!isOutside(name) && PLAN.requires.some((one) => matches(one, name));
	if (names === null || !names.every(fits)) {
		throw new Error(
			`\`${given}\` is no plan: it must be a file in the working folder that matches ${PLAN.requires.map(({ text }) => text).join(" or ")}.`,
		);
	}
	const [name] = names;
	const file = paths().resolve(cwd, name);
	const entry = fs().statSync(file, { throwIfNoEntry: false });
	if (!entry?.isFile()) {
		throw new Error(`\`${given}\` is not there: write the plan to it first.`);
	}
	const text = fs().readFileSync(file, "utf8");
	if (text.trim() === "") {
		throw new Error(`\`${given}\` is empty: write the plan to it first.`);
	}
	return { path: name, text };
}

async function review(
	plan: Plan,
	signal: AbortSignal | undefined,
	context: Context,
): Promise<{ outcome: Outcome; feedback: string }> {
	const decided = (outcome: Outcome, feedback = "") => ({ outcome, feedback });
	// Without anybody there a dialog answers at once, as if it was closed.
	if (!context.hasUI) return decided("recorded");
	const lines = plan.text.trimEnd().split("\n").length;
	const title = `${PLAN.confirm} (${plan.path}, ${lines} ${lines === 1 ? "line" : "lines"})`;
	const options = [APPROVE, REVISE, REJECT];
	const chosen = await context.ui.select(title, options, { signal });
	if (signal?.aborted) return decided("cancelled");
	if (chosen === APPROVE) return decided("approved");
	if (chosen === REJECT) return decided("rejected");
	if (chosen !== REVISE) return decided("cancelled");
	const edited = context.ui.editor(`What should change in ${plan.path}?`, "");
	const feedback = await Promise.race([edited, aborted(signal)]);
	const said = feedback !== undefined && feedback.trim() !== "";
	return said ? decided("revise", feedback) : decided("revise-empty");
}

/** An editor takes no signal, so an abort is waited for beside it. */
function aborted(signal: AbortSignal | undefined): Promise<undefined> {
	return new Promise((done) => {
		if (signal?.aborted) done(undefined);
		signal?.addEventListener("abort", () => done(undefined), { once: true });
	});
}

/** What the model is told. After a stop the run ends without another request. */
function answer(outcome: Outcome, plan: Plan, feedback: string): ToolResult {
	const { path } = plan;
	const texts: Record<Outcome, string> = {
		approved: `${PLAN.note} Plan: ${path}`,
		revise: `The person asks for changes to the plan in ${path}:\n\n${feedback}\n\nStill planning: change ${path} and call ${PLAN.tool} with it again.`,
		"revise-empty": `The person wants ${path} revised and has not said how. Still planning: wait for what they say.`,
		rejected: `The plan in ${path} was rejected. Still planning: stop here and wait for instructions.`,
		cancelled: `The review of ${path} was closed without a decision. Nothing changed: stop here and wait.`,
		recorded: `The plan in ${path} is recorded. Nobody is here to review it, so nothing was decided: still planning, the same writes stay refused.`,
	};
	const content: Text[] = [{ type: "text", text: texts[outcome] }];
	const details = { outcome, path };
	const stops = ["revise-empty", "rejected", "cancelled"].includes(outcome);
	return stops ? { content, details, terminate: true } : { content, details };
}
