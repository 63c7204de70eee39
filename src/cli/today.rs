//! The day that expiries are held against: the one asked for, else the clock's, in UTC.

use crate::checks::Date;
use std::time::{SystemTime, UNIX_EPOCH};

const DAY: u64 = 86_400;

pub(super) fn parse(text: &str) -> Result<Date, String> {
    Date::parse(text).ok_or_else(|| "a day is written YYYY-MM-DD, like 2027-03-31".to_owned())
}

pub(super) fn or_clock(asked: Option<Date>) -> Date {
    asked.unwrap_or_else(|| {
        let seconds = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |passed| passed.as_secs());
        civil(seconds / DAY)
    })
}

/// The day so many days after 1970-01-01. Years are counted from March, so that a leap day is their last.
fn civil(days: u64) -> Date {
    let days = days + 719_468;
    let (era, of_era) = (days / 146_097, days % 146_097);
    let year_of_era = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let from_march = (5 * of_year + 2) / 153;
    let day = of_year - (153 * from_march + 2) / 5 + 1;
    let month = if from_march < 10 { from_march + 3 } else { from_march - 9 };
    let year = year_of_era + era * 400 + u64::from(month <= 2);
    Date { year: year as u16, month: month as u8, day: day as u8 }
}

#[cfg(test)]
mod tests {
    use super::civil;

    #[test]
    fn days_have_their_dates() {
        for (days, date) in [(0, "1970-01-01"), (11_016, "2000-02-29"), (20_787, "2026-11-30"), (47_541, "2100-03-01")]
        {
            assert_eq!(civil(days).to_string(), date);
        }
    }
}
