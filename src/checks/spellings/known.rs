//! What is known of the commands that people deny: their names, their options, and what they are given.

/// A command whose spellings are known.
pub(super) struct Known {
    /// Its names, program and subcommand.
    pub(super) names: &'static [&'static str],
    /// Its options without values that are worth a deny, each with all its names.
    pub(super) options: &'static [&'static [&'static str]],
    /// What it is plausibly given.
    pub(super) operand: &'static str,
    /// Texts that stand for one another within it.
    pub(super) same: &'static [(&'static str, &'static str)],
}

const RECURSIVE: &[&str] = &["-r", "-R", "--recursive"];
const FORCE: &[&str] = &["-f", "--force"];

const fn known(
    names: &'static [&'static str],
    options: &'static [&'static [&'static str]],
    operand: &'static str,
) -> Known {
    Known { names, options, operand, same: &[] }
}

/// By the manuals of the programs; options may stand before and after operands in all of them.
pub(super) const KNOWN: [Known; 34] = [
    known(&["rm"], &[RECURSIVE, FORCE, &["-v", "--verbose"], &["-d", "--dir"]], "build"),
    known(&["cp"], &[RECURSIVE, FORCE, &["-a", "--archive"]], "src build"),
    known(&["mv"], &[FORCE], "src build"),
    known(&["ln"], &[FORCE, &["-s", "--symbolic"]], "src link"),
    known(&["chown"], &[&["-R", "--recursive"]], "root src"),
    Known {
        names: &["chmod"],
        options: &[&["-R", "--recursive"]],
        operand: "777 src",
        same: &[(" 777", " 0777"), (" 777", " a+rwx"), (" +x", " a+x"), (" +x", " 755")],
    },
    known(&["sed"], &[&["-i", "--in-place"]], "s/a/b/ notes.txt"),
    Known { names: &["kill"], options: &[&["-9", "-KILL", "-SIGKILL"]], operand: "4321", same: &[(" -9", " -s KILL")] },
    known(&["pkill"], &[&["-9", "-KILL", "-SIGKILL"], &["-f", "--full"]], "node"),
    Known {
        names: &["git push"],
        options: &[FORCE, &["-d", "--delete"], &["--tags"], &["--mirror"], &["--all"]],
        operand: "origin main",
        same: &[(" --force origin main", " origin +main"), (" -f origin main", " origin +main")],
    },
    known(&["git reset"], &[&["--hard"]], "HEAD~1"),
    known(&["git clean"], &[FORCE, &["-d"], &["-x"]], "src"),
    known(&["git checkout"], &[FORCE], "main"),
    Known {
        names: &["git branch"],
        options: &[&["-D"], &["-d", "--delete"], FORCE],
        operand: "topic",
        same: &[(" -D", " -d -f"), (" -D", " --delete --force")],
    },
    known(&["git tag"], &[&["-d", "--delete"], FORCE], "v1"),
    known(&["git commit"], &[&["-n", "--no-verify"], &["--amend"], &["-a", "--all"]], "-m fix"),
    known(&["git add"], &[&["-A", "--all"], FORCE], "src"),
    known(&["git rm"], &[&["-r"], FORCE], "src"),
    known(&["git stash"], &[], ""),
    known(&["docker rm", "docker container rm"], &[FORCE, &["-v", "--volumes"]], "box"),
    known(&["docker rmi", "docker image rm"], &[FORCE], "app"),
    known(&["docker kill", "docker container kill"], &[], "box"),
    known(&["docker stop", "docker container stop"], &[], "box"),
    known(&["docker push", "docker image push"], &[], "me/app"),
    known(&["docker system prune"], &[FORCE, &["-a", "--all"], &["--volumes"]], ""),
    known(&["docker compose down", "docker-compose down"], &[&["-v", "--volumes"]], ""),
    known(&["kubectl delete"], &[&["--all"], &["--force"]], "pod box"),
    known(&["npm install", "npm i", "npm add"], &[&["-g", "--global"]], "left-pad"),
    known(&["npm uninstall", "npm rm", "npm remove"], &[&["-g", "--global"]], "left-pad"),
    known(&["npm run", "npm run-script"], &[], "deploy"),
    known(&["pnpm install", "pnpm i"], &[], ""),
    known(&["pip install", "pip3 install", "python3 -m pip install"], &[], "requests"),
    known(&["cargo run", "cargo r"], &[], ""),
    Known {
        names: &["curl"],
        options: &[],
        operand: "https://example.com/",
        same: &[(" -X ", " --request "), (" -X ", " -X"), (" -o ", " --output "), (" -d ", " --data ")],
    },
];

/// Options with values that may stand before any subcommand.
pub(super) const GLOBAL: [(&str, &str); 10] = [
    ("git", "-C ."),
    ("kubectl", "-n default"),
    ("helm", "-n default"),
    ("docker", "--context default"),
    ("npm", "--prefix ."),
    ("pnpm", "-C ."),
    ("yarn", "--cwd ."),
    ("terraform", "-chdir=."),
    ("aws", "--profile default"),
    ("make", "-C ."),
];

/// Programs whose arguments are files.
pub(super) const FILES: [&str; 20] = [
    "cat", "head", "tail", "less", "more", "bat", "nl", "od", "xxd", "strings", "source", "rm", "cp", "mv", "vim",
    "nano", "touch", "tee", "chmod", "open",
];
