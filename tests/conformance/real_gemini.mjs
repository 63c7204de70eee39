// Policies written for Gemini CLI, tried in its real policy engine; see real-gemini.sh.
import fs from 'node:fs';
import path from 'node:path';
import { execFileSync } from 'node:child_process';
import { pathToFileURL } from 'node:url';

const say = (text) => process.stdout.write(`${text}\n`);
const option = (name, otherwise) => {
  const at = process.argv.indexOf(`--${name}`);
  return at < 0 ? otherwise : process.argv[at + 1];
};
const whole = process.argv.includes('--whole');
const work = option('work');
console.debug = console.info = console.log = () => {};
// The engine looks for a person's files in the home folder: there are none.
process.env.HOME = process.env.GEMINI_CLI_HOME = path.join(work, 'home');
fs.mkdirSync(process.env.HOME, { recursive: true });

const at = (name) => import(pathToFileURL(path.join(option('core'), 'dist/src/policy', name)).href);
const { PolicyEngine } = await at('policy-engine.js');
const { loadPoliciesFromToml } = await at('toml-loader.js');
const { createPolicyEngineConfig } = await at('config.js');

// The recorded decisions, in the real engine.
const TIER = { default: 1, extension: 2, workspace: 3, user: 4, admin: 5 };
let folders = 0;
const folder = (text) => {
  const name = path.join(work, `folder-${folders++}`);
  fs.mkdirSync(name, { recursive: true });
  fs.writeFileSync(path.join(name, 'rules.toml'), text);
  return name;
};
async function recorded(vector) {
  const mode = vector.mode ?? 'default';
  const interactive = vector.interactive ?? true;
  const files = (vector.files ?? [{ tier: 'user', toml: vector.toml ?? '' }]).map((file) => [folder(file.toml), file.tier]);
  const tier = (name) => TIER[files.find(([one]) => one === name)?.[1] ?? 'user'];
  const dirs = files.map(([name]) => name);
  const loaded = vector.builtin
    ? await createPolicyEngineConfig({ policyPaths: dirs, ...(vector.settings ?? {}) }, mode, undefined, interactive)
    : await loadPoliciesFromToml(dirs, tier);
  const engine = new PolicyEngine({
    rules: loaded.rules,
    approvalMode: mode,
    nonInteractive: !interactive,
    defaultDecision: loaded.defaultDecision,
  });
  const call = vector.call;
  if (call.visible !== undefined) {
    return engine.getExcludedTools(undefined, new Set([call.visible])).has(call.visible) ? 'hidden' : 'visible';
  }
  const args = { name: call.tool, args: call.args ?? {} };
  return (await engine.check(args, call.server, call.annotations, call.subagent)).decision;
}
let failures = 0;
const vectors = JSON.parse(fs.readFileSync(option('vectors'), 'utf8')).vectors;
for (const vector of vectors) {
  const got = await recorded(vector);
  if (got !== vector.decision) {
    failures++;
    say(`recorded ${vector.id}: ${vector.decision} expected, ${got} decided`);
  }
}

// Generated policies, in core's words.
let state = BigInt(option('seed', '20261201'));
const random = (below) => {
  state = (state * 6364136223846793005n + 1442695040888963407n) & 0xffffffffffffffffn;
  return Number((state >> 33n) % BigInt(below));
};
const one = (list) => list[random(list.length)];
const PATHS = ['*', 'src/*', '*.env', 'docs/*.md', 'secrets/*', '*secret*', 'a?b', 'src/main.ts', '/etc/*', '~/.ssh/*', '*.md'];
const COMMANDS = ['*', 'git *', 'git push *', 'git status', 'rm *', 'ls *', '*--force*', 'make', 'npm test *', 'echo ?', 'cat *.env'];
const OTHERS = ['glob "src/**/*.ts"', 'glob "**/*.md"', 'exact "src/main.ts"', 'regex "[a-z]+/.*"', 'regex "(?s)src/.*"'];
const rule = () => {
  const action = one(['allow', 'ask', 'deny']);
  const because = random(5) === 0 ? ' because "no \\"quotes\\" are lost"' : '';
  const text = (list) => (random(4) === 0 ? '' : ` "${one(list)}"`);
  switch (random(10)) {
    case 0: return `${action} *${because}`;
    case 1: case 2: return `${action} bash${text(COMMANDS)}${because}`;
    case 3: return `${action} bash ${one(['prefix "git log"', 'exact "git push"', 'exact "ls *"', 'regex "git (status|log).*"'])}`;
    case 4: case 5: return `${action} ${one(['read', 'edit', 'read, edit', 'list', 'grep', 'glob'])}${text(PATHS)}${because}`;
    case 6: return `${action} ${one(['read', 'edit'])} ${one(OTHERS)}`;
    case 7: return `${action} ${one(['webfetch', 'websearch', 'skill', 'question', 'task'])}${text(['*', 'https://docs.rs/*', 'helper', 'a*'])}`;
    case 8: return `${action} ${one(['"mcp_gh_*"', 'mcp_gh_search', '"mcp_*"', 'write_todos'])}`;
    default: return `${action} * "${one(['*secret*', 'git *', 'src/*'])}"`;
  }
};
const rules = () => Array.from({ length: 1 + random(7) }, () => `  ${rule()}`).join('\n');
const policy = () => {
  const agents = [`agent main {\n  mode primary\n${rules()}\n}`, `agent helper {\n  mode subagent\n${rules()}\n}`];
  if (random(3) === 0) agents.push(`agent plan {\n  mode primary\n${rules()}\n}`);
  return `${agents.join('\n')}\ndefault agent main\n`;
};

// Calls, each with what the policy is asked for it.
const FILES = ['src/main.ts', 'src/a/b.ts', '.env', 'docs/guide.md', 'secrets/key', 'README.md', 'a/secret.md', 'axb', 'src/q"uote.ts', 'é.md'];
const SIMPLE = ['git status', 'git push', 'git push origin', 'git log -p', 'rm -rf x', 'ls', 'ls -la', 'make', 'npm test', 'cat .env', 'echo a', 'git push --force', 'cat README.md'];
const ROOT = '/home/me/project';
const respelled = (file) => one([file, file, file, `./${file}`, `${ROOT}/${file}`, `x/../${file}`, `${ROOT}//${file}`, `${ROOT}/./${file}`]);
const call = () => {
  const file = one(FILES);
  switch (random(9)) {
    case 0: case 1: return ['read_file', { file_path: respelled(file), ...(random(2) ? { start_line: 3 } : {}) }, [['read', file]]];
    case 2: return ['write_file', { content: one(['x', '"file_path":"src/a"', file]), file_path: respelled(file) }, [['edit', file]]];
    case 3: return ['replace', { file_path: respelled(file), instruction: 'i', new_string: one(['a', file]), old_string: 'b' }, [['edit', file]]];
    case 4: {
      const tool = one(['list_directory', 'glob', 'grep_search']);
      const permission = { list_directory: 'list', glob: 'glob', grep_search: 'grep' }[tool];
      const dir = one(['src', 'docs', '.', 'secrets/a', undefined]);
      return [tool, { ...(dir ? { dir_path: dir } : {}), pattern: one(['x', 'secrets/*']) }, [[permission, dir ?? '.']]];
    }
    case 5: case 6: {
      const parts = Array.from({ length: 1 + random(3) }, () => one(SIMPLE));
      const command = parts.slice(1).reduce((line, part) => `${line}${one([' && ', ' | ', '; ', ' || '])}${part}`, parts[0]);
      const description = one(['runs it', 'x --force', '"command":"git status"']);
      return ['run_shell_command', { command, ...(random(2) ? { description } : {}) }, parts.map((part) => ['bash', part])];
    }
    case 7: return one([
      ['web_fetch', { prompt: 'Tell me of https://docs.rs/x' }, [['webfetch', 'https://docs.rs/x']]],
      ['web_fetch', { prompt: 'https://evil.example/' }, [['webfetch', 'https://evil.example/']]],
      ['google_web_search', { query: 'a b' }, [['websearch', 'a b']]],
      ['activate_skill', { name: 'a-skill' }, [['skill', 'a-skill']]],
      ['invoke_agent', { agent_name: 'helper', prompt: 'p' }, [['task', 'helper']]],
      ['ask_user', { questions: [] }, [['question', '*']]],
    ]);
    default: return one([
      ['mcp_gh_search', { q: 'x' }, [['mcp_gh_search', '*']], 'gh'],
      ['mcp_jira_get', {}, [['mcp_jira_get', '*']], 'jira'],
      ['write_todos', { todos: [] }, [['write_todos', '*']]],
      ['read_many_files', { include: ['**/*'] }, [['read_many_files', '*'], ...FILES.map((name) => ['read', name])]],
      ['tracker_get_task', { id: 'x' }, [['tracker_get_task', '*']]],
    ]);
  }
};
const STRICT = { allow: 0, ask: 1, ask_user: 1, deny: 2 };
const end = Date.now() + Number(option('seconds', '60')) * 1000;
const most = whole ? 300 : 60;
let [policies, calls, same, refused] = [0, 0, 0, 0];
for (let count = 0; policies < most && count < most * 3 && Date.now() < end; count++) {
  const text = policy();
  const place = path.join(work, `policy-${count}`);
  fs.mkdirSync(place);
  fs.writeFileSync(path.join(place, 'test.policy'), text);
  try {
    const args = ['compile', path.join(place, 'test.policy'), '--target', 'gemini,js', '--out', place];
    execFileSync(option('policyc'), args, { stdio: ['ignore', 'ignore', 'pipe'], env: { ...process.env, NO_COLOR: '1' } });
  } catch (error) {
    const told = String(error.stderr);
    refused++;
    if (!told.includes('PC0601')) {
      failures++;
      say(`refused for another reason than words:\n${text}\n${told}`);
    }
    continue;
  }
  policies++;
  const ours = await import(pathToFileURL(path.join(place, 'policy.mjs')).href);
  const file = path.join(place, 'policies/policyc.toml');
  for (let n = 0; n < 40; n++) {
    const mode = one(['default', 'autoEdit', 'yolo', 'plan']);
    const subagent = one([undefined, undefined, 'helper']);
    const config = await createPolicyEngineConfig({ policyPaths: [file] }, mode, undefined, true);
    const engine = new PolicyEngine({ rules: config.rules, approvalMode: mode, defaultDecision: config.defaultDecision });
    const [tool, args, requests, server] = call();
    const agent = subagent ?? (mode === 'plan' && text.includes('agent plan ') ? 'plan' : 'main');
    const wanted = requests.map(([permission, resource]) => ours.decide(agent, permission, resource).action);
    const strictest = wanted.reduce((a, b) => (STRICT[b] > STRICT[a] ? b : a), 'allow');
    const { decision } = await engine.check({ name: tool, args }, server, undefined, subagent);
    calls++;
    if (STRICT[decision] === STRICT[strictest]) same++;
    if (STRICT[decision] < STRICT[strictest]) {
      failures++;
      say(`looser: ${agent} in ${mode}: ${tool} ${JSON.stringify(args)} is ${decision}, not ${strictest}\n${text}`);
    }
  }
}
say(`real-gemini: ${vectors.length} recorded decisions; ${policies} policies (${refused} refused), ${calls} calls, ${same} decided alike, ${failures} failures`);
process.exit(failures ? 1 : 0);
