// Gemini CLI's own hook runner and aggregator start `policyc hook gemini`; what they make of the answers is compared.
//   node real_hooks_gemini.mjs CORE POLICYC WORK
import fs from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

const [core, policyc, work] = process.argv.slice(2);
const home = path.join(work, 'gemini-home');
fs.mkdirSync(home, { recursive: true });
process.env.HOME = home;
process.env.GEMINI_CLI_HOME = home;
const say = console.log;
console.log = console.debug = console.warn = () => {};

const module = (name) => import(pathToFileURL(path.join(core, 'dist/src/hooks', name)).href);
const { HookRunner } = await module('hookRunner.js');
const { HookAggregator } = await module('hookAggregator.js');

const project = path.join(work, 'gemini-project');
fs.mkdirSync(project, { recursive: true });
const config = {
  isTrustedFolder: () => true,
  sanitizationConfig: { allowedEnvironmentVariables: [], blockedEnvironmentVariables: [], enableEnvironmentVariableRedaction: false },
  storage: { getPlansDir: () => project },
};
const runner = new HookRunner(config);
const aggregator = new HookAggregator();

async function becomes(command, tool, input) {
  const hook = { type: 'command', command, timeout: 20000, source: 'user' };
  const event = {
    session_id: 's', transcript_path: '', cwd: project, hook_event_name: 'BeforeTool',
    timestamp: new Date(0).toISOString(), tool_name: tool, tool_input: input,
  };
  const result = await runner.executeHook(hook, 'BeforeTool', event);
  const output = aggregator.aggregateResults([result], 'BeforeTool').finalOutput;
  if (!output) return ['nothing', ''];
  const blocking = output.getBlockingError();
  if (blocking?.blocked) return ['blocked', blocking.reason];
  return [output.isAskDecision() ? 'asked' : 'goes on', output.getEffectiveReason()];
}

const shell = (command) => ['run_shell_command', { command }];
const good = `${policyc} hook gemini --policy ${work}/hooks.policy`;
const cases = [
  [good, ...shell('git status'), 'goes on', ''],
  [good, ...shell('git status && rm -rf x'), 'blocked', 'use the trash instead'],
  [good, ...shell('make ask'), 'blocked', 'asking would lift'],
  [good, 'read_file', { file_path: 'a/../prod.env' }, 'blocked', 'it holds secrets'],
  [good, 'write_file', { file_path: 'src/a.txt', content: '' }, 'goes on', ''],
  [good, 'write_file', { file_path: path.join(project, 'secrets/a'), content: '' }, 'blocked', 'nobody edits these'],
  [`${policyc} hook gemini --policy ${work}/no-such.policy`, ...shell('ls'), 'blocked', 'does not exist'],
  [`${policyc} hook gemini --no-such-option`, ...shell('ls'), 'blocked', 'called wrongly'],
];
let failed = 0;
for (const [command, tool, input, wanted, words] of cases) {
  const [got, reason] = await becomes(command, tool, input);
  if (got !== wanted || !reason.includes(words)) {
    failed += 1;
    say(`gemini: ${JSON.stringify(input)} was ${got} (${reason}), and must be ${wanted} (${words})`);
  }
}
say(`real-hooks: gemini, ${cases.length - failed} of ${cases.length} calls as decided`);
process.exit(failed ? 1 : 0);
