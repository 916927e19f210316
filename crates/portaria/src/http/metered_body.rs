//! A request body with a minimum rate and a total time.

use std::{
    io,
    pin::Pin,
    task::{Context, Poll},
};

use axum::{
    Error,
    body::{Body, Bytes, HttpBody},
};
use hyper::body::{Frame, SizeHint};

use crate::http::transfer_meter::{TransferLimits, TransferMeter};

/// A body that ends with an error when its sender is too slow. The connection is closed after the response then, because
/// the rest of the body is not read.
pub(crate) struct MeteredBody {
    body: Body,
    meter: TransferMeter,
}

impl MeteredBody {
    pub(crate) fn new(body: Body, limits: TransferLimits) -> Self {
        Self { body, meter: TransferMeter::new(limits) }
    }
}

impl HttpBody for MeteredBody {
    type Data = Bytes;
    type Error = Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Error>>> {
        let frame = Pin::new(&mut self.body).poll_frame(context);
        if let Poll::Ready(frame) = &frame {
            let frame = frame.as_ref().and_then(|frame| frame.as_ref().ok());
            let bytes = frame.and_then(Frame::data_ref).map_or(0, Bytes::len);
            self.meter.record(bytes);
        } else if self.meter.poll_expired(context).is_ready() {
            self.body = Body::empty();
            let error = io::Error::from(io::ErrorKind::TimedOut);
            return Poll::Ready(Some(Err(Error::new(error))));
        }
        frame
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
