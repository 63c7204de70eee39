// Written by `policyc compile --target pi`: change the policy, not this file.
/**
 * An extension for pi that holds its model to a policy: every call of a tool is
 * judged before it runs, by the path as written and by where links lead.
 *
 * It works as a package (this folder: `pi -e .`, `pi install ./`), and copied
 * alone into `~/.pi/agent/extensions/`. Load it last: an extension behind it can
 * change the arguments of a call that was judged already.
 *
 * The prompt's cache stays valid, because four things hold throughout:
 * - the system prompt is never touched;
 * - the list of tools never changes;
 * - a refusal is the result of the call and nothing else;
 * - history only grows.
 *
 * What no extension can hold: what a command does once it runs, another
 * extension's own programs, and what the person types behind `!`.
 */

