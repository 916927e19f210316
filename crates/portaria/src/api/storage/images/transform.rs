//! The requested transformation of an image, and the geometry that follows from it.

use axum::{extract::FromRequestParts, http::request::Parts};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::api::storage::{StorageError, coercion, extract::query_param, images::gravity::Gravity};

/// Maximum width and height of a transformed image, as in the original. Pixels.
const MAX_SIDE: u64 = 2000;
/// [`MAX_SIDE`] as a length.
const MAX_SIDE_LENGTH: f64 = 2000.0;
/// Steps of an offset between two integers. A finer offset would give the same image another key in the cache.
const OFFSET_STEPS: f64 = 1000.0;
/// Accepted qualities, as in the original.
const QUALITIES: std::ops::RangeInclusive<u64> = 20..=100;
/// Quality of a JPEG file without a requested one, as in the original.
const DEFAULT_QUALITY: u8 = 80;
/// Query parameters of a transformation.
const PARAMETERS: [&str; 8] =
    ["width", "height", "resize", "quality", "format", "gravity", "x_offset", "y_offset"];

/// A transformation. Its JSON, which contains only what was requested, is the key of the cache and a claim of signed URLs.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Transform {
    #[serde(
        default,
        deserialize_with = "coercion::count",
        skip_serializing_if = "Option::is_none"
    )]
    width: Option<u64>,
    #[serde(
        default,
        deserialize_with = "coercion::count",
        skip_serializing_if = "Option::is_none"
    )]
    height: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    resize: Option<Resize>,
    #[serde(
        default,
        deserialize_with = "coercion::count",
        skip_serializing_if = "Option::is_none"
    )]
    quality: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    format: Option<Format>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    gravity: Option<Gravity>,
    #[serde(
        default,
        deserialize_with = "coercion::number",
        skip_serializing_if = "Option::is_none"
    )]
    x_offset: Option<f64>,
    #[serde(
        default,
        deserialize_with = "coercion::number",
        skip_serializing_if = "Option::is_none"
    )]
    y_offset: Option<f64>,
}

/// How an image fits into width and height, if both are given.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Resize {
    /// Fills width and height; the rest is cut off at both sides, or where [`Gravity`] says.
    Cover,
    /// Fits completely.
    Contain,
    /// Fills width and height; the proportions change.
    Fill,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Format {
    /// The format of the source.
    Origin,
    Webp,
}

/// The part of the source that is shown, in pixels of the source, and the size of the result.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Geometry {
    pub(super) left: f64,
    pub(super) top: f64,
    pub(super) crop_width: f64,
    pub(super) crop_height: f64,
    pub(super) width: u32,
    pub(super) height: u32,
}

impl Geometry {
    /// The same part of a mirrored source, which is `width` pixels wide.
    pub(super) fn mirrored_horizontally(self, width: u32) -> Self {
        Self { left: f64::from(width) - self.left - self.crop_width, ..self }
    }

    /// The same part of a source upside down, which is `height` pixels high.
    pub(super) fn mirrored_vertically(self, height: u32) -> Self {
        Self { top: f64::from(height) - self.top - self.crop_height, ..self }
    }

    /// The same geometry with width and height exchanged.
    pub(super) fn transposed(self) -> Self {
        Self {
            left: self.top,
            top: self.left,
            crop_width: self.crop_height,
            crop_height: self.crop_width,
            width: self.height,
            height: self.width,
        }
    }
}

impl<S: Sync> FromRequestParts<S> for Transform {
    type Rejection = StorageError;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, StorageError> {
        let query = parts.uri.query();
        let parameters: Map<String, Value> = PARAMETERS
            .iter()
            .filter_map(|name| Some(((*name).to_owned(), query_param(query, name)?.into())))
            .collect();
        Self::read(Value::Object(parameters), "querystring")
    }
}

impl Transform {
    /// Reads a transformation. `place` names the part of the request in errors.
    ///
    /// # Errors
    /// `InvalidRequest` for a malformed parameter.
    pub(crate) fn read(parameters: Value, place: &str) -> Result<Self, StorageError> {
        // A structure is read from an array, too.
        if !parameters.is_object() {
            return Err(StorageError::invalid_request(format!("{place} must be object")));
        }
        let transform: Self = serde_path_to_error::deserialize(parameters).map_err(|error| {
            let detail: String = error.inner().to_string().chars().take(200).collect();
            StorageError::invalid_request(format!("{place}/{} {detail}", error.path()))
        })?;
        if transform.quality.is_some_and(|quality| !QUALITIES.contains(&quality)) {
            return Err(StorageError::invalid_request(format!(
                "{place}/quality must be >= 20 and <= 100"
            )));
        }
        let offsets = [transform.x_offset, transform.y_offset];
        let is_share = |offset: Option<f64>| offset.is_some_and(|x| (0.0..=1.0).contains(&x));
        if transform.gravity == Some(Gravity::Fp) && !offsets.into_iter().all(is_share) {
            let message = "Focal point requires x and y coordinates within 0-1 range";
            return Err(StorageError::invalid_request(message));
        }
        let uses_offsets = transform.gravity.is_some_and(|gravity| gravity != Gravity::Sm);
        // As in the original, zero counts as absent, and a larger side is capped.
        let side = |side: Option<u64>| side.filter(|side| *side > 0).map(|side| side.min(MAX_SIDE));
        let offset = |offset: Option<f64>| offset.filter(|_| uses_offsets).map(rounded);
        Ok(Self {
            width: side(transform.width),
            height: side(transform.height),
            format: transform.format.filter(|format| *format != Format::Origin),
            x_offset: offset(transform.x_offset),
            y_offset: offset(transform.y_offset),
            ..transform
        })
    }

    /// Whether the original is requested.
    pub(crate) fn is_identity(&self) -> bool {
        self.width.is_none()
            && self.height.is_none()
            && self.quality.is_none()
            && self.format.is_none()
    }

    /// Returns the key of the cache.
    pub(super) fn key(&self) -> String {
        serde_json::to_string(self).expect("a transformation serializes to JSON")
    }

    /// Describes the transformation for the header `X-Transformations`, as in the original.
    pub(super) fn description(&self) -> String {
        let part = |name: &str, value: Option<u64>| value.map(|value| format!("{name}:{value}"));
        let resize = match self.resize {
            None | Some(Resize::Cover) => "fill",
            Some(Resize::Contain) => "fit",
            Some(Resize::Fill) => "force",
        };
        let is_resized = self.width.is_some() || self.height.is_some();
        let gravity =
            self.gravity.map(|gravity| gravity.description([self.x_offset, self.y_offset]));
        let parts = [
            part("height", self.height),
            part("width", self.width),
            is_resized.then(|| format!("resizing_type:{resize}")),
            part("quality", self.quality),
            self.wants_webp().then(|| "format:webp".to_owned()),
            gravity,
        ];
        parts.into_iter().flatten().collect::<Vec<_>>().join(",")
    }

    /// Whether the result is WebP whatever the source is.
    pub(super) fn wants_webp(&self) -> bool {
        self.format == Some(Format::Webp)
    }

    /// Returns the quality of a JPEG result.
    pub(super) fn quality(&self) -> u8 {
        self.quality.and_then(|quality| u8::try_from(quality).ok()).unwrap_or(DEFAULT_QUALITY)
    }

    /// Computes the geometry for a source of this size. An image is never enlarged.
    pub(super) fn geometry(&self, source_width: u32, source_height: u32) -> Geometry {
        let source = [source_width, source_height].map(f64::from);
        let [width, height] = [self.width, self.height].map(side_length);
        let ratios =
            [width.map(|width| width / source[0]), height.map(|height| height / source[1])];
        let ratios = ratios.into_iter().flatten();

        let (crop, size, scale) = match (width, height, self.resize) {
            (Some(width), Some(height), Some(Resize::Fill)) => {
                (source, [width.min(source[0]), height.min(source[1])], 1.0)
            }
            (Some(width), Some(height), None | Some(Resize::Cover)) => {
                let scale = ratios.fold(0.0, f64::max).min(1.0);
                let crop = [(width / scale).min(source[0]), (height / scale).min(source[1])];
                (crop, crop.map(|side| side * scale), scale)
            }
            _ => {
                let scale = ratios.chain(source.map(|side| MAX_SIDE_LENGTH / side));
                let scale = scale.fold(1.0, f64::min);
                (source, source.map(|side| side * scale), scale)
            }
        };
        let [width, height] = size.map(pixels);
        let offsets = [self.x_offset, self.y_offset].map(Option::unwrap_or_default);
        let [left, top] = self.gravity.unwrap_or_default().place(offsets, source, crop, scale);
        Geometry { left, top, crop_width: crop[0], crop_height: crop[1], width, height }
    }
}

/// Returns a requested side, which is at most [`MAX_SIDE`].
fn side_length(side: Option<u64>) -> Option<f64> {
    side.map(|side| u16::try_from(side).map_or(MAX_SIDE_LENGTH, f64::from))
}

/// Rounds an offset. One beyond the largest result shows the same as the largest.
fn rounded(offset: f64) -> f64 {
    let offset = offset.clamp(-MAX_SIDE_LENGTH, MAX_SIDE_LENGTH);
    // Zero has no sign in the key.
    (offset * OFFSET_STEPS).round() / OFFSET_STEPS + 0.0
}

/// Rounds a length, which is at most [`MAX_SIDE`], to at least one pixel.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "the length is between 1 and 2,000"
)]
fn pixels(length: f64) -> u32 {
    length.round().max(1.0) as u32
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use crate::api::storage::images::transform::Transform;

    fn read(parameters: Value) -> Transform {
        Transform::read(parameters, "body").unwrap()
    }

    #[test]
    fn geometry_keeps_proportions_except_for_fill_and_never_enlarges() {
        for (source, parameters, size, crop) in [
            ((4000, 3000), json!({"width": 100, "height": 100}), (100, 100), (3000.0, 3000.0)),
            ((3000, 4000), json!({"width": 100, "height": 100}), (100, 100), (3000.0, 3000.0)),
            (
                (4000, 3000),
                json!({"width": 100, "height": 100, "resize": "contain"}),
                (100, 75),
                (4000.0, 3000.0),
            ),
            (
                (4000, 3000),
                json!({"width": 100, "height": 100, "resize": "fill"}),
                (100, 100),
                (4000.0, 3000.0),
            ),
            ((4000, 3000), json!({"width": 100}), (100, 75), (4000.0, 3000.0)),
            ((4000, 3000), json!({"height": 75}), (100, 75), (4000.0, 3000.0)),
            ((4000, 3000), json!({"quality": 50}), (2000, 1500), (4000.0, 3000.0)),
            ((4000, 3000), json!({"width": 9000, "height": 0}), (2000, 1500), (4000.0, 3000.0)),
            ((50, 200), json!({"width": 100, "height": 100}), (50, 100), (50.0, 100.0)),
            ((50, 20), json!({"width": 100, "resize": "contain"}), (50, 20), (50.0, 20.0)),
            (
                (50, 20),
                json!({"width": 100, "height": 10, "resize": "fill"}),
                (50, 10),
                (50.0, 20.0),
            ),
            ((1, 30_000), json!({"width": 1}), (1, 2000), (1.0, 30_000.0)),
        ] {
            let geometry = read(parameters.clone()).geometry(source.0, source.1);
            assert_eq!((geometry.width, geometry.height), size, "{source:?} {parameters}");
            let found = (geometry.crop_width, geometry.crop_height);
            assert_eq!(found, crop, "{source:?} {parameters}");
        }
    }

    #[test]
    fn gravity_places_the_shown_part() {
        // The part is 3,000 × 3,000 pixels large; the scale is 1:30.
        for (gravity, place) in [
            (json!({}), (500.0, 0.0)),
            (json!({"x_offset": 5}), (500.0, 0.0)),
            (json!({"gravity": "ce", "x_offset": "5"}), (650.0, 0.0)),
            (json!({"gravity": "ce", "x_offset": -0.1}), (100.0, 0.0)),
            (json!({"gravity": "sm", "x_offset": 5}), (500.0, 0.0)),
            (json!({"gravity": "we"}), (0.0, 0.0)),
            (json!({"gravity": "nowe", "x_offset": 5, "y_offset": 5}), (150.0, 0.0)),
            (json!({"gravity": "ea"}), (1000.0, 0.0)),
            (json!({"gravity": "soea", "x_offset": 0.1}), (600.0, 0.0)),
            (json!({"gravity": "so", "x_offset": 9000}), (1000.0, 0.0)),
            (json!({"gravity": "fp", "x_offset": 0.5, "y_offset": 0}), (500.0, 0.0)),
            (json!({"gravity": "fp", "x_offset": 1, "y_offset": 1}), (1000.0, 0.0)),
            (json!({"gravity": "fp", "x_offset": 0.4, "y_offset": 1}), (100.0, 0.0)),
        ] {
            let mut parameters = json!({"width": 100, "height": 100});
            parameters.as_object_mut().unwrap().extend(gravity.as_object().unwrap().clone());
            let wide = read(parameters.clone()).geometry(4000, 3000);
            assert_eq!((wide.left, wide.top), place, "{parameters}");
        }
        for place in [("no", 0.0), ("ce", 500.0), ("so", 1000.0), ("ea", 500.0), ("soea", 1000.0)] {
            let gravity = place.0;
            let high = read(json!({"width": 100, "height": 100, "gravity": gravity}));
            assert_eq!((gravity, high.geometry(3000, 4000).top), place);
        }
    }

    #[test]
    fn description_lists_the_parts_in_the_order_of_the_original() {
        for (parameters, description) in [
            (
                json!({"quality": 60, "width": 200, "height": 9000}),
                "height:2000,width:200,resizing_type:fill,quality:60",
            ),
            (json!({"format": "webp", "resize": "contain"}), "format:webp"),
            (json!({"width": 1, "resize": "fill"}), "width:1,resizing_type:force"),
            (
                json!({"width": 1, "gravity": "fp", "x_offset": 0, "y_offset": 0.5}),
                "width:1,resizing_type:fill,gravity:fp:0:0.5",
            ),
            (json!({"gravity": "noea", "y_offset": 12}), "gravity:noea:0:12"),
            (json!({"gravity": "so"}), "gravity:so"),
        ] {
            assert_eq!(read(parameters.clone()).description(), description, "{parameters}");
        }
    }

    #[test]
    fn equal_transformations_have_one_key() {
        let texts = json!({"width": "100", "height": "0", "format": "origin", "resize": null});
        assert_eq!(read(texts).key(), r#"{"width":100}"#);
        for (offset, rounded) in
            [("0.0001", "0.0"), ("-1e-9", "0.0"), ("0.1234", "0.123"), ("-1e300", "-2000.0")]
        {
            let place = json!({"width": 1, "gravity": "ce", "x_offset": offset});
            let key = format!(r#"{{"width":1,"gravity":"ce","x_offset":{rounded}}}"#);
            assert_eq!(read(place).key(), key);
        }
        for parameters in [json!({}), json!({"format": "origin"}), json!({"resize": "fill"})] {
            assert!(read(parameters.clone()).is_identity(), "{parameters}");
        }
        for parameters in [json!({"width": 1}), json!({"quality": 20}), json!({"format": "webp"})] {
            assert!(!read(parameters.clone()).is_identity(), "{parameters}");
        }
    }

    #[test]
    fn malformed_parameters_are_refused() {
        for parameters in [
            json!({"width": -1}),
            json!({"width": "x"}),
            json!({"height": 1.5}),
            json!({"quality": 19}),
            json!({"quality": "101"}),
            json!({"resize": "stretch"}),
            json!({"format": "avif"}),
            json!({"gravity": "up"}),
            json!({"gravity": "fp"}),
            json!({"gravity": "fp", "x_offset": 0.5, "y_offset": 1.1}),
            json!({"x_offset": "NaN"}),
            json!([]),
            json!("width"),
        ] {
            assert!(Transform::read(parameters.clone(), "body").is_err(), "{parameters}");
        }
    }
}
