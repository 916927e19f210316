//! Contrast of the office's colors with the grounds on which they are shown (WCAG 2.2, success criterion 1.4.3).

/// Minimum contrast of text.
const MIN_CONTRAST: f64 = 4.5;
/// The darkest light ground of the web app, and white as the ground of mails and as the text on the color.
const LIGHT: (Rgb, Rgb) = ([0xF3, 0xF3, 0xEF], [0xFF, 0xFF, 0xFF]);
/// The lightest ground of the dark theme.
const DARK: Rgb = [0x1A, 0x1F, 0x25];
/// The share of a color in its tint, on light and on dark grounds. The web app's `lib/office-colors.ts` mixes the same.
const TINT: (f64, f64) = (0.08, 0.16);

/// A color in sRGB.
pub type Rgb = [u8; 3];

/// A ground for which a color is chosen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names are self-explanatory")]
pub enum Ground {
    Light,
    Dark,
}

/// Parses `#rrggbb`.
#[must_use]
pub fn parse(text: &str) -> Option<Rgb> {
    let digits = text.strip_prefix('#').filter(|digits| digits.len() == 6)?;
    let is_hex = digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    let number = u32::from_str_radix(digits, 16).ok().filter(|_| is_hex)?;
    let [_, rgb @ ..] = number.to_be_bytes();
    Some(rgb)
}

/// Whether a color is readable as text on all grounds of a theme, on its own tint, and under the text of a button.
#[must_use]
pub fn is_readable(color: Rgb, ground: Ground) -> bool {
    let grounds = match ground {
        Ground::Light => [LIGHT.0, mix(color, LIGHT.1, TINT.0)],
        Ground::Dark => [DARK, mix(color, DARK, TINT.1)],
    };
    grounds.into_iter().all(|ground| contrast(color, ground) >= MIN_CONTRAST)
}

/// The contrast ratio of two colors, from 1 to 21.
fn contrast(a: Rgb, b: Rgb) -> f64 {
    let (a, b) = (luminance(a), luminance(b));
    (a.max(b) + 0.05) / (a.min(b) + 0.05)
}

/// Relative luminance.
fn luminance(color: Rgb) -> f64 {
    let [red, green, blue] = color.map(|channel| {
        let share = f64::from(channel) / 255.0;
        if share <= 0.040_45 { share / 12.92 } else { ((share + 0.055) / 1.055).powf(2.4) }
    });
    0.2126 * red + 0.7152 * green + 0.0722 * blue
}

/// Mixes a share of a color into a ground.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a mix of two channels is a channel"
)]
fn mix(color: Rgb, ground: Rgb, share: f64) -> Rgb {
    let channel = |index: usize| {
        let of = |color: Rgb| f64::from(color[index]);
        (of(color) * share + of(ground) * (1.0 - share)).round() as u8
    };
    [channel(0), channel(1), channel(2)]
}

#[cfg(test)]
mod tests {
    use crate::office::contrast::{Ground, contrast, is_readable, parse};

    #[test]
    fn colors_are_parsed() {
        assert_eq!(parse("#0e5A6b"), Some([0x0E, 0x5A, 0x6B]));
        for text in ["", "0e5a6b", "#0e5a6", "#0e5a6b0", "#+e5a6b", "#0e5a6é", "red"] {
            assert_eq!(parse(text), None, "{text}");
        }
    }

    #[test]
    fn contrast_matches_known_ratios() {
        for (a, b, expected) in [
            ([0, 0, 0], [255, 255, 255], 21.0),
            ([0x77, 0x77, 0x77], [255, 255, 255], 4.48),
            ([255, 0, 0], [255, 255, 255], 4.0),
        ] {
            assert!((contrast(a, b) - expected).abs() < 0.01, "{a:?} {b:?}");
        }
    }

    #[test]
    fn unreadable_colors_are_found() {
        for (color, light, dark) in [
            ("#0e5a6b", true, false),
            ("#6cc3d5", false, true),
            ("#ffd600", false, true),
            ("#777777", false, false),
        ] {
            let color = parse(color).unwrap();
            assert_eq!(is_readable(color, Ground::Light), light, "{color:?}");
            assert_eq!(is_readable(color, Ground::Dark), dark, "{color:?}");
        }
    }
}
