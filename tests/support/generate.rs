//! Synthetic rulesets for tests and benches: `realistic` has the mix of shapes that agents' permission files have, and
//! grows by invented names; the others are built to be hard.
#![allow(
    dead_code,
    unreachable_pub,
    missing_docs,
    clippy::indexing_slicing,
    reason = "shared by path: each user needs some of it, on lists that are its own"
)]

/// One rule: a key wildcard, a value wildcard and a colour (0 deny, 1 ask, 2 allow).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rule {
    pub key: String,
    pub value: String,
    pub colour: u8,
}

impl Rule {
    pub fn new(key: impl Into<String>, value: impl Into<String>, colour: u8) -> Rule {
        Rule { key: key.into(), value: value.into(), colour }
    }
}

/// A small deterministic source of numbers (SplitMix64).
pub struct Random(pub u64);

impl Random {
    pub fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((mixed ^ (mixed >> 31)) >> 11) as usize % limit
    }

    pub fn pick<'a>(&mut self, list: &[&'a str]) -> &'a str {
        list[self.below(list.len())]
    }
}

fn list(words: &'static str) -> Vec<&'static str> {
    words.split_whitespace().collect()
}

/// The words that patterns are made of.
struct Vocabulary {
    commands: Vec<&'static str>,
    verbs: Vec<&'static str>,
    extensions: Vec<&'static str>,
    folders: Vec<&'static str>,
    flags: Vec<&'static str>,
    syllables: Vec<&'static str>,
}

struct Maker {
    random: Random,
    words: Vocabulary,
    /// Large sets use invented names, or most rules would be repeated.
    big: bool,
}

impl Maker {
    fn new(count: usize, seed: u64) -> Maker {
        let words = Vocabulary {
            commands: list(
                "git npm pnpm yarn cargo go docker kubectl terraform make ls cat grep rg find sed awk rm mv cp mkdir chmod chown \
                 curl wget ssh scp python python3 pip node npx bun deno psql mysql redis-cli aws gcloud az gh helm systemctl \
                 journalctl sudo tar zip jq echo env nix brew apt apt-get dotnet mvn gradle pytest eslint tsc",
            ),
            verbs: list(
                "status log diff show add commit push pull fetch checkout branch reset rebase merge stash clean tag remote config \
                 install run test build ci publish exec start stop list get describe logs delete apply plan destroy init update \
                 search info version help clone blame ps images rm create edit lint fmt check bench doc",
            ),
            extensions: list("env env.* pem key ts tsx rs go py md json yaml toml lock sql sh p12 tfstate log secret"),
            folders: list(
                "src lib test tests docs packages apps services infra scripts config .github .opencode build dist vendor cmd \
                 internal",
            ),
            flags: list("--force -rf --hard --no-verify --prod --all -f --global --dry-run --delete"),
            syllables: list("ka lo mi ren tor vi sa net pro dat log auth pay web api core ui job mq db x zen flow hub"),
        };
        Maker { random: Random(seed), words, big: count > 300 }
    }

    fn name(&mut self) -> String {
        let mut name = String::new();
        for place in 0..2 + self.random.below(3) {
            if place > 0 && self.random.below(3) == 0 {
                name.push('-');
            }
            name += self.random.pick(&self.words.syllables);
        }
        name
    }

    fn folder(&mut self) -> &'static str {
        self.random.pick(&self.words.folders)
    }

    fn flag(&mut self) -> &'static str {
        self.random.pick(&self.words.flags)
    }

    fn extension(&mut self) -> &'static str {
        self.random.pick(&self.words.extensions)
    }

    fn path(&mut self) -> String {
        let mut path = self.folder().to_owned();
        for _ in 0..1 + self.random.below(3) {
            path.push('/');
            path += &if self.random.below(3) == 0 { self.folder().to_owned() } else { self.name() };
        }
        path
    }

    fn name_or(&mut self, small: &'static str) -> String {
        if self.big { self.name() } else { small.to_owned() }
    }

    fn command(&mut self) -> String {
        let command = if self.big && self.random.below(4) == 0 {
            self.name()
        } else {
            self.random.pick(&self.words.commands).to_owned()
        };
        let verb = self.random.pick(&self.words.verbs);
        let verb =
            if self.big && self.random.below(3) > 0 { format!("{verb} {}", self.name()) } else { verb.to_owned() };
        match self.random.below(100) {
            0..=44 => format!("{command} {verb} *"),
            45..=56 => format!("{command} {verb}*"),
            57..=68 => format!("{command} {verb}"),
            69..=76 if self.big && self.random.below(25) > 0 => format!("{} *", self.name()),
            69..=76 => format!("{command} *"),
            77..=84 => format!("{command} {verb} {} *", self.flag()),
            85..=90 => format!("{command} {verb} {}", self.path()),
            91..=93 => format!("{command} {verb} * {}*", self.flag()),
            94..=95 => {
                let flag = self.flag();
                format!("{command} * {}", self.name_or(flag))
            }
            96..=97 => format!("*{command} {}*", self.flag()),
            98 => {
                let flag = self.flag();
                format!("* {verb} {}", self.name_or(flag))
            }
            _ => format!("{command} {verb}:?"),
        }
    }

    fn file(&mut self) -> String {
        match self.random.below(100) {
            0..=34 => format!("{}/**", self.path()),
            35..=54 => format!("{}/*.{}", self.path(), self.extension()),
            55..=74 => format!("{}/{}.{}", self.path(), self.name(), self.extension()),
            75..=82 => format!("{}/{}/*", self.folder(), self.name()),
            83..=88 if self.big => format!("*.{}.{}", self.name(), self.extension()),
            83..=88 => format!("*.{}", self.extension()),
            89..=92 => {
                let folder = self.folder();
                format!("*/{}/*", self.name_or(folder))
            }
            93..=95 => {
                let hidden = self.random.pick(&["ssh", "aws", "gnupg", "config", "kube"]);
                format!("/home/*/.{}/*", self.name_or(hidden))
            }
            96..=97 => {
                let secret = self.random.pick(&["secret", "password", "token", "credential"]);
                format!("*{}*", self.name_or(secret))
            }
            _ => format!("{}/*/{}.{}", self.folder(), self.name(), self.extension()),
        }
    }

    fn rule(&mut self) -> Rule {
        let (key, value) = match self.random.below(100) {
            0..=64 => ("bash".to_owned(), self.command()),
            65..=79 => ("edit".to_owned(), self.file()),
            80..=89 => ("read".to_owned(), self.file()),
            90..=91 => ("external_directory".to_owned(), self.file()),
            92..=94 => {
                let host = self.name();
                ("webfetch".to_owned(), format!("https://{host}.{}/*", self.random.pick(&["com", "io", "dev"])))
            }
            95..=96 => (format!("mcp_{}_*", self.random.pick(&self.words.syllables)), "*".to_owned()),
            97 => {
                let server = self.random.pick(&self.words.syllables);
                (format!("mcp_{server}_{}", self.random.pick(&self.words.verbs)), "*".to_owned())
            }
            98 => ("task".to_owned(), format!("{}*", self.name())),
            _ if self.random.below(2) == 0 => ("*".to_owned(), format!("*{}*", self.name())),
            _ => ("*".to_owned(), self.file()),
        };
        Rule { key, value, colour: [2, 2, 2, 2, 1, 1, 0, 0, 0, 2][self.random.below(10)] }
    }
}

/// Rules as people write them: two in three about commands, one in four about paths, the rest URLs, tools and agents.
pub fn realistic(count: usize, seed: u64) -> Vec<Rule> {
    let mut maker = Maker::new(count, seed);
    let mut rules: Vec<Rule> = [
        ("*", "*", 1),
        ("read", "*", 2),
        ("read", "*.env", 0),
        ("read", "*.env.*", 0),
        ("read", "*.env.example", 2),
        ("external_directory", "*", 1),
        ("bash", "*", 1),
        ("edit", "*", 1),
    ]
    .map(|(key, value, colour)| Rule::new(key, value, colour))
    .into();
    rules.truncate(count);
    while rules.len() < count {
        rules.push(maker.rule());
    }
    rules
}

/// What makes a set hard.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hard {
    /// `*x*y*` with random words.
    TwoInfixes,
    /// `*x*y*z*` with random words.
    ThreeInfixes,
    /// Infixes over two letters, so that they overlap.
    TwoLetters,
    /// `*a??b?*` over two letters.
    Questions,
}

impl Hard {
    pub const ALL: [Hard; 4] = [Hard::TwoInfixes, Hard::ThreeInfixes, Hard::TwoLetters, Hard::Questions];
}

/// Rules on one key that overlap as much as they can.
pub fn adversarial(kind: Hard, count: usize, seed: u64) -> Vec<Rule> {
    let mut random = Random(seed);
    let word = |random: &mut Random, length: usize| -> String {
        (0..length).map(|_| char::from(b'a' + random.below(26) as u8)).collect()
    };
    let mix = |random: &mut Random, parts: &[&str]| -> String {
        (0..4 + random.below(8)).map(|_| parts[random.below(parts.len())]).collect()
    };
    let value = |random: &mut Random| match kind {
        Hard::TwoInfixes => format!("*{}*{}*", word(random, 4), word(random, 4)),
        Hard::ThreeInfixes => format!("*{}*{}*{}*", word(random, 3), word(random, 3), word(random, 3)),
        Hard::TwoLetters => format!("*{}*", mix(random, &["a", "b", "*"])),
        Hard::Questions => format!("*{}{}*", random.pick(&["a", "b"]), mix(random, &["a", "b", "?", "?"])),
    };
    (0..count)
        .map(|_| {
            let value = value(&mut random);
            Rule::new("bash", value, random.below(3) as u8)
        })
        .collect()
}

/// A formula in conjunctive form, three literals a clause, as rules: the first rule has a gap for each variable (empty is
/// false), each later one matches what breaks a clause. The first is dead exactly if the formula cannot be satisfied.
pub fn satisfiability(variables: usize, clauses: usize, seed: u64) -> Vec<Rule> {
    let mut random = Random(seed);
    let letter = |place: usize| char::from_u32(0x4E00 + place as u32).unwrap_or('x');
    let word = |gaps: &[&str]| -> String {
        let parts: String = gaps.iter().enumerate().map(|(place, gap)| format!("{}{gap}", letter(place))).collect();
        format!("{parts}{}", letter(variables))
    };
    let mut rules = vec![Rule::new("p", word(&vec!["*"; variables]), 2)];
    for _ in 0..clauses {
        let mut gaps = vec!["*"; variables];
        for _ in 0..3 {
            let place = random.below(variables);
            gaps[place] = random.pick(&["", "?*"]);
        }
        rules.push(Rule::new("p", word(&gaps), 0));
    }
    rules
}

/// Calls that the rules are likely to decide.
pub fn calls(rules: &[Rule], count: usize, seed: u64) -> Vec<(String, String)> {
    let mut maker = Maker::new(rules.len(), seed);
    (0..count)
        .map(|_| match maker.random.below(10) {
            0..=5 if !rules.is_empty() => {
                let rule = &rules[maker.random.below(rules.len())];
                (fill(&mut maker, &rule.key), fill(&mut maker, &rule.value))
            }
            6..=7 => ("edit".to_owned(), format!("{}/{}.{}", maker.path(), maker.name(), maker.extension())),
            _ => ("bash".to_owned(), format!("{} {}", maker.command().replace(['*', '?'], "x"), maker.path())),
        })
        .collect()
}

fn fill(maker: &mut Maker, pattern: &str) -> String {
    let mut text = String::new();
    for letter in pattern.chars() {
        match letter {
            '*' if maker.random.below(3) == 0 => {}
            '*' => text += &maker.name(),
            '?' => text.push('7'),
            letter => text.push(letter),
        }
    }
    text
}
