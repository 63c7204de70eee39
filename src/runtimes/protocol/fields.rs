//! The fields of an event: what is there, of the kind it must be, or said to be wrong.

use serde_json::{Map, Value};

/// An object of an event.
#[derive(Clone, Copy, Debug)]
pub struct Fields<'a> {
    /// What it is called in messages.
    name: &'a str,
    fields: &'a Map<String, Value>,
}

impl<'a> Fields<'a> {
    /// A value as an object.
    pub fn of(name: &'a str, value: &'a Value) -> Result<Fields<'a>, String> {
        let fields = value.as_object().ok_or_else(|| format!("{name} is no JSON object"))?;
        Ok(Fields { name, fields })
    }

    /// An object in it.
    pub fn object(self, field: &'a str) -> Result<Fields<'a>, String> {
        let value = self.fields.get(field).ok_or_else(|| format!("{} has no `{field}`", self.name))?;
        Fields::of(field, value)
    }

    /// A text that must be there.
    pub fn text(self, field: &str) -> Result<&'a str, String> {
        self.maybe(field)?.ok_or_else(|| format!("{} has no `{field}`", self.name))
    }

    /// A text that may be there. Another kind of value is wrong.
    pub fn maybe(self, field: &str) -> Result<Option<&'a str>, String> {
        match self.fields.get(field) {
            None | Some(Value::Null) => Ok(None),
            Some(Value::String(text)) => Ok(Some(text)),
            Some(_) => Err(format!("`{field}` of {} is no text", self.name)),
        }
    }

    /// What the one of several fields says that is there. Which of two the runtime would take is not known, so they must say
    /// the same.
    pub fn any(self, fields: &[&str]) -> Result<Option<&'a str>, String> {
        let mut found: Option<(&str, &'a str)> = None;
        for field in fields {
            let Some(text) = self.maybe(field)? else { continue };
            match found {
                Some((other, said)) if said != text => {
                    return Err(format!("`{other}` and `{field}` of {} say different things", self.name));
                }
                _ => found = Some((field, text)),
            }
        }
        Ok(found.map(|(_, text)| text))
    }

    /// The same; one must be there.
    pub fn one(self, fields: &[&str]) -> Result<&'a str, String> {
        self.any(fields)?.ok_or_else(|| format!("{} has none of `{}`", self.name, fields.join("`, `")))
    }

    /// Several texts: a list of them, or one.
    pub fn texts(self, field: &str) -> Result<Vec<&'a str>, String> {
        let wrong = || format!("`{field}` of {} is no list of texts", self.name);
        match self.fields.get(field) {
            None | Some(Value::Null) => Ok(Vec::new()),
            Some(Value::String(text)) => Ok(vec![text]),
            Some(Value::Array(items)) => items.iter().map(|item| item.as_str().ok_or_else(wrong)).collect(),
            Some(_) => Err(wrong()),
        }
    }

    /// Any value.
    pub fn value(self, field: &str) -> Option<&'a Value> {
        self.fields.get(field)
    }
}

/// What an answer holds at a path of keys, as a text.
pub fn json(text: &str, keys: &[&str]) -> Option<String> {
    let value: Value = serde_json::from_str(text).ok()?;
    let found = keys.iter().try_fold(&value, |value, key| value.get(key))?;
    found.as_str().map(str::to_owned)
}

/// One line, with its end.
pub fn first_line(text: &str) -> String {
    format!("{}\n", text.replace(['\n', '\r'], " "))
}
