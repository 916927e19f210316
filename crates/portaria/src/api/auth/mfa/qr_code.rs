//! A text as a QR code, drawn in SVG.

use std::fmt::Write;

use qrcode::{Color, EcLevel, QrCode};

/// The white frame that readers need (ISO/IEC 18004). Modules.
const QUIET: usize = 4;

/// The drawing. The client library puts it into an address as it is, so it holds neither `#` nor `%`.
pub(crate) fn svg(text: &str) -> Option<String> {
    let code = QrCode::with_error_correction_level(text, EcLevel::M).ok()?;
    let (width, modules) = (code.width(), code.to_colors());
    let side = width + 2 * QUIET;
    let mut dark = String::new();
    for (y, row) in modules.chunks(width).enumerate() {
        for (x, _) in row.iter().enumerate().filter(|(_, module)| **module == Color::Dark) {
            write!(dark, "M{} {}h1v1h-1z", x + QUIET, y + QUIET)
                .expect("writing to a String cannot fail");
        }
    }
    Some(format!(
        "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 {side} {side}' shape-rendering='crispEdges'>\
         <path fill='white' d='M0 0h{side}v{side}H0z'/><path fill='black' d='{dark}'/></svg>"
    ))
}
