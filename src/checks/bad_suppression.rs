//! PC0903: an `@ignore` that is needless, expired, without a reason, or that names no check.

use super::{CHECKS, Check, Date, compared, rule_never_decides_a_test};
use crate::diagnostic::{Code, Finding, Severity, near_name};
use crate::model::Ignore;

/// Its code.
pub const CODE: Code = Code::new("PC0903", "bad-suppression", Severity::Warning);

/// Marks the findings that a valid `@ignore` covers, and reports the annotations that are void or needless.
/// `pedantic` says whether checks of severity info ran: without them nothing can be said about what they would find.
pub fn suppress(findings: Vec<Finding>, ignores: &[Ignore], today: Date, pedantic: bool) -> Vec<Finding> {
    let mut valid: Vec<(&Ignore, Code, bool)> = Vec::new();
    let mut out = Vec::new();
    for ignore in ignores {
        match judge(ignore, today) {
            Ok(check) => valid.push((ignore, check.code, false)),
            Err(finding) => out.push(*finding),
        }
    }
    for mut finding in findings {
        cover(&mut finding, &mut valid);
        out.push(finding);
    }
    let needless = |(ignore, code, used): &(&Ignore, Code, bool)| {
        let silent = *used || *code == CODE || !always_runs(*code, pedantic);
        (!silent).then(|| {
            let text = format!("nothing here is found by {} `{}`: this `@ignore` is needless", code.id, code.name);
            Finding::new(CODE, ignore.span, text).help("delete it")
        })
    };
    out.extend(valid.iter().filter_map(needless));
    // An annotation of a whole block may cover the annotations inside.
    for finding in out.iter_mut().filter(|finding| finding.code == CODE) {
        cover(finding, &mut valid);
    }
    out
}

/// Marks a finding as ignored if an annotation covers it, and those annotations as used.
fn cover(finding: &mut Finding, ignores: &mut [(&Ignore, Code, bool)]) {
    for (ignore, code, used) in ignores {
        if *code == finding.code && ignore.scope.contains(finding.primary.span) {
            *used = true;
            finding.ignored.get_or_insert_with(|| ignore.reason.clone().unwrap_or_default());
        }
    }
}

/// Whether what the code stands for is looked for in every run: checks of severity info run when they are asked for, what
/// needs a base or coverage only with its option.
fn always_runs(code: Code, pedantic: bool) -> bool {
    let asked_for = [
        compared::WIDENED_VS_BASE,
        compared::NARROWED_VS_BASE,
        compared::OUTSIDE_BASELINE,
        rule_never_decides_a_test::CODE,
    ];
    (pedantic || code.severity > Severity::Info) && !asked_for.contains(&code)
}

/// The check that an annotation silences, or why it silences none.
fn judge(ignore: &Ignore, today: Date) -> Result<&'static Check, Box<Finding>> {
    let name = ignore.code.node.as_str();
    let known = || CHECKS.iter().flat_map(|check| [check.code.id, check.code.name]);
    let void = |span, text: String, help: String| Box::new(Finding::new(CODE, span, text).help(help));
    let Some(check) = CHECKS.iter().find(|check| check.code.id == name || check.code.name == name) else {
        let help = match near_name(name, known()) {
            Some(near) => format!("did you mean `{near}`?"),
            None => "`policyc explain --list` lists the checks".to_owned(),
        };
        return Err(void(ignore.code.span, format!("no check is called `{name}`, so this `@ignore` is void"), help));
    };
    if ignore.reason.as_deref().is_none_or(|reason| reason.trim().is_empty()) {
        let text = "an `@ignore` without a reason is void".to_owned();
        return Err(void(ignore.span, text, format!("say why: `@ignore({name}, \"REASON\")`")));
    }
    let Some(until) = &ignore.until else { return Ok(check) };
    match Date::parse(&until.node) {
        None => {
            let text = format!("`{}` is no day of the calendar, so this `@ignore` is void", until.node);
            Err(void(until.span, text, "write it as YYYY-MM-DD".to_owned()))
        }
        Some(last) if last < today => {
            let text = format!("this `@ignore` held until {last} and is void since");
            Err(void(until.span, text, "fix what it hid, or decide again and move the day".to_owned()))
        }
        Some(_) => Ok(check),
    }
}
