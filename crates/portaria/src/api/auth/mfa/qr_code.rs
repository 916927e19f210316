//! QR codes as SVG images. The crate `qrcode` encodes the text; this module draws the modules.

use std::fmt::Write;

use qrcode::{Color, EcLevel, QrCode};

/// Width of the quiet zone (ISO/IEC 18004), in modules.
const QUIET_ZONE: usize = 4;

/// Returns the SVG. It contains neither `#` nor `%`, because the client library puts it into a data URI without
/// encoding it.
pub(crate) fn svg(text: &str) -> Option<String> {
    let code = QrCode::with_error_correction_level(text, EcLevel::M).ok()?;
    let (width, modules) = (code.width(), code.to_colors());
    let side = width + 2 * QUIET_ZONE;
    let mut dark = String::new();
    for (y, row) in modules.chunks(width).enumerate() {
        for (x, _) in row.iter().enumerate().filter(|(_, module)| **module == Color::Dark) {
            write!(dark, "M{} {}h1v1h-1z", x + QUIET_ZONE, y + QUIET_ZONE)
                .expect("writing to a String cannot fail");
        }
    }
    Some(format!(
        "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 {side} {side}' shape-rendering='crispEdges'>\
         <path fill='white' d='M0 0h{side}v{side}H0z'/><path fill='black' d='{dark}'/></svg>"
    ))
}
