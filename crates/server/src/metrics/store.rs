//! What the store says of its work, read when it is asked for.

use std::fmt;

use prometheus_client::collector::Collector;
use prometheus_client::encoding::{DescriptorEncoder, EncodeMetric as _, NoLabelSet};
use prometheus_client::metrics::MetricType;
use prometheus_client::metrics::counter::ConstCounter;
use prometheus_client::metrics::gauge::ConstGauge;
use store::{GROUP_SIZES, StoreMetrics};

/// A store's work, as it stood a moment ago.
#[derive(Debug)]
pub(super) struct StoreCollector(pub(super) StoreMetrics);

impl Collector for StoreCollector {
    fn encode(&self, mut encoder: DescriptorEncoder<'_>) -> fmt::Result {
        let StoreMetrics { groups, changes, .. } = &self.0;
        let bounds = GROUP_SIZES.iter().map(|bound| as_float(*bound as u64)).chain([f64::INFINITY]);
        let buckets: Vec<_> = bounds.zip(*groups).collect();
        let help = "Changes that shared a commit";
        encoder
            .encode_descriptor("store_commit_changes", help, None, MetricType::Histogram)?
            .encode_histogram::<NoLabelSet>(as_float(*changes), self.0.commits(), &buckets, None)?;
        for (name, help, count) in [
            ("store_retries", "Changes and reads tried again after a failure that passes", self.0.retries),
            ("store_reconnects", "Connections to the database opened anew", self.0.reconnects),
        ] {
            let counter = ConstCounter::new(count);
            counter.encode(encoder.encode_descriptor(name, help, None, MetricType::Counter)?)?;
        }
        for (name, help, count) in [
            ("store_waiting_changes", "Changes that wait", self.0.waiting_changes),
            ("store_waiting_reads", "Reads that wait", self.0.waiting_reads),
            ("store_connections", "Connections to the database that are open", self.0.connections),
            ("store_connections_busy", "Connections to the database that are at work", self.0.connections_busy),
        ] {
            let gauge = ConstGauge::new(count);
            gauge.encode(encoder.encode_descriptor(name, help, None, MetricType::Gauge)?)?;
        }
        Ok(())
    }
}

/// Exact below 2^53: what is counted here does not come near.
#[expect(clippy::cast_precision_loss, reason = "the format takes floats")]
const fn as_float(count: u64) -> f64 {
    count as f64
}
