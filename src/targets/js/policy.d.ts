/** What becomes of a request: it passes, a person is asked, it is stopped. */
export type Action = "allow" | "ask" | "deny";

/** An agent of the policy. */
export type Agent = AGENTS;

/** A decision, and the rule that took it. */
export interface Decision {
	/** What becomes of the request. */
	readonly action: Action;
	/** The deciding rule's place among the agent's rules, from 1; null: no rule matches, so a person is asked. */
	readonly rule: number | null;
	/** The rule's permission, as written. */
	readonly permission: string | null;
	/** The rule's pattern, as written. */
	readonly pattern: string | null;
	/** What its author said of it. */
	readonly reason: string | null;
	/** Where it was written: FILE:LINE:COLUMN. */
	readonly from: string | null;
}

/** The agents that exist, in the order of the policy. */
export declare const agents: readonly Agent[];

/** The agent a session starts with; null: none can be. */
export declare const defaultAgent: Agent | null;

/**
 * Decides a request: by the last rule whose permission and pattern both match the whole of it.
 *
 * @throws RangeError if there is no such agent; treat it as a deny.
 */
export declare function decide(agent: Agent, permission: string, resource: string): Decision;

/**
 * Whether the model of an agent sees a tool.
 *
 * @throws RangeError if there is no such agent.
 */
export declare function visible(agent: Agent, tool: string): boolean;
