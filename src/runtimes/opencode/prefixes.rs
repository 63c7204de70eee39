//! What "always" keeps of a command: the words that name it, with anything behind them. How many words those are stands in a
//! table of the program. This one was made by asking 1.18.33 for commands of each name.

use crate::shell::{self, Line, WordKind};

/// Names of which the next word belongs to them.
const TWO: &[&str] = &[
    "bazel",
    "brew",
    "bun",
    "cargo",
    "cdk",
    "cf",
    "cmake",
    "composer",
    "consul",
    "crictl",
    "deno",
    "docker",
    "eksctl",
    "firebase",
    "flyctl",
    "git",
    "go",
    "gradle",
    "helm",
    "heroku",
    "hugo",
    "ip",
    "kind",
    "kubectl",
    "kustomize",
    "make",
    "mc",
    "minikube",
    "mongosh",
    "mvn",
    "mysql",
    "ng",
    "npm",
    "nvm",
    "nx",
    "openssl",
    "pip",
    "pipenv",
    "pnpm",
    "podman",
    "poetry",
    "psql",
    "pulumi",
    "pyenv",
    "python",
    "rake",
    "rbenv",
    "redis-cli",
    "rustup",
    "serverless",
    "skaffold",
    "sls",
    "sst",
    "swift",
    "systemctl",
    "terraform",
    "tmux",
    "turbo",
    "ufw",
    "vault",
    "vercel",
    "volta",
    "wp",
    "yarn",
];

/// Names of which the next two words belong to them; one of two words counts before one of one word.
const THREE: &[&str] = &[
    "aws",
    "az",
    "bun run",
    "bun x",
    "cargo add",
    "cargo run",
    "consul kv",
    "deno task",
    "docker builder",
    "docker compose",
    "docker container",
    "docker image",
    "docker network",
    "docker volume",
    "doctl",
    "eksctl create",
    "gcloud",
    "gh",
    "git config",
    "git remote",
    "git stash",
    "ip addr",
    "ip link",
    "ip netns",
    "ip route",
    "kind create",
    "kubectl kustomize",
    "kubectl rollout",
    "mc admin",
    "npm exec",
    "npm init",
    "npm run",
    "npm view",
    "openssl req",
    "openssl x509",
    "pnpm dlx",
    "pnpm exec",
    "pnpm run",
    "podman container",
    "podman image",
    "pulumi stack",
    "sfdx",
    "terraform workspace",
    "vault auth",
    "vault kv",
    "yarn dlx",
    "yarn run",
];

/// The pattern that "always" keeps for a command as it is asked.
pub(super) fn kept(command: &str) -> String {
    // The words as the program's grammar tells them apart; a text that it cannot read was never asked.
    let line = shell::parse(command).unwrap_or_else(|_| Line { text: command.to_owned(), ..Line::default() });
    let words: Vec<&str> = match line.commands.first() {
        Some(first) => {
            let words = first.words.iter().filter(|word| word.kind != WordKind::Other);
            words.map(|word| line.slice(&word.span)).collect()
        }
        None => command.split_whitespace().collect(),
    };
    let named: Vec<&str> = words.iter().copied().take(count(&words)).collect();
    format!("{} *", named.join(" "))
}

/// How many words name a command.
fn count(words: &[&str]) -> usize {
    let [name, rest @ ..] = words else { return 0 };
    let pair = rest.first().map(|second| format!("{name} {second}"));
    let is = |table: &[&str], name: &str| table.contains(&name);
    match pair {
        Some(pair) if is(THREE, &pair) => 3,
        _ if is(THREE, name) => 3,
        _ if is(TWO, name) => 2,
        _ => 1,
    }
}
