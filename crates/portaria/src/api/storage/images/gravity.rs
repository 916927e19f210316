//! The part of an image that remains when its rest is cut off (`docs/protocol/storage.md`, section 5.6).

use serde::{Deserialize, Serialize};
use serde_json::json;

/// Direction in which the shown part lies. The names are those of the protocol.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Gravity {
    No,
    So,
    Ea,
    We,
    Noea,
    Nowe,
    Soea,
    Sowe,
    #[default]
    Ce,
    /// The part that the server considers important: the center.
    Sm,
    /// Around a focal point, whose offsets are shares of width and height.
    Fp,
}

/// Position of the shown part on one axis.
#[derive(Clone, Copy)]
enum Anchor {
    Start,
    Center,
    End,
    Focus,
}

impl Gravity {
    /// Returns the distances of the shown part from the left and the top. All lengths are pixels of the source. An offset
    /// below 1 is a share of the source, another one is pixels of the result, which is `scale` times as large.
    pub(super) fn place(
        self,
        offsets: [f64; 2],
        source: [f64; 2],
        crop: [f64; 2],
        scale: f64,
    ) -> [f64; 2] {
        let place = |axis: usize| {
            let (offset, length) = (offsets[axis], source[axis]);
            let free = (length - crop[axis]).max(0.0);
            let distance = if offset.abs() < 1.0 { offset * length } else { offset / scale };
            let start = match self.anchors()[axis] {
                Anchor::Start => distance,
                Anchor::Center => free / 2.0 + distance,
                Anchor::End => free - distance,
                Anchor::Focus => offset * length - crop[axis] / 2.0,
            };
            start.clamp(0.0, free)
        };
        [place(0), place(1)]
    }

    /// Describes the gravity for the header `X-Transformations`.
    pub(super) fn description(self, offsets: [Option<f64>; 2]) -> String {
        let name = json!(self);
        let name = name.as_str().unwrap_or_default();
        match offsets {
            [None, None] => format!("gravity:{name}"),
            [x, y] => format!("gravity:{name}:{}:{}", x.unwrap_or(0.0), y.unwrap_or(0.0)),
        }
    }

    /// Returns the horizontal and the vertical position.
    fn anchors(self) -> [Anchor; 2] {
        use Anchor::{Center, End, Focus, Start};
        match self {
            Self::No => [Center, Start],
            Self::So => [Center, End],
            Self::Ea => [End, Center],
            Self::We => [Start, Center],
            Self::Noea => [End, Start],
            Self::Nowe => [Start, Start],
            Self::Soea => [End, End],
            Self::Sowe => [Start, End],
            Self::Ce | Self::Sm => [Center, Center],
            Self::Fp => [Focus, Focus],
        }
    }
}
