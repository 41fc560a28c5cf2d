//! Elements made from data.
//!
//! `html!` writes out the making of an element at each place where it stands, some 300 bytes of program every time. Nearly all of the tablet is
//! « an element of some class with something inside »: those are made here, once, which keeps the download small; `html!` stays for the few
//! that have listeners or properties of their own.

use yew::prelude::*;
use yew::virtual_dom::{AttributeOrProperty, Attributes, VTag};

use crate::texts::Text;

/// An element of a class (or of none: `""`) with these inside.
pub(super) fn el<const N: usize>(tag: Text, class: Text, inside: [Html; N]) -> Html {
    element(tag, &["class"], vec![given(class)], Vec::from(inside))
}

/// The same, with as many inside as there are.
pub(super) fn list(tag: Text, class: Text, inside: Vec<Html>) -> Html {
    element(tag, &["class"], vec![given(class)], inside)
}

/// An element with a text.
pub(super) fn text(tag: Text, class: Text, text: impl Into<AttrValue>) -> Html {
    el(tag, class, [say(text)])
}

/// An element whose tone (`good`, `bad`, `warn`) its style follows.
pub(super) fn toned<const N: usize>(tag: Text, class: Text, tone: Text, inside: [Html; N]) -> Html {
    element(tag, &["class", "data-tone"], vec![given(class), given(tone)], Vec::from(inside))
}

/// A text by itself.
pub(super) fn say(text: impl Into<AttrValue>) -> Html {
    Html::VText(text.into().into())
}

/// Nothing.
pub(super) fn nothing() -> Html {
    Html::default()
}

/// Any element. The same keys at the same place are compared by their values alone.
pub(super) fn element(tag: Text, keys: &'static [Text], values: Vec<Option<AttrValue>>, inside: Vec<Html>) -> Html {
    let mut made = VTag::new(tag);
    let values = values.into_iter().map(|value| value.map(AttributeOrProperty::Attribute)).collect();
    made.set_attributes(Attributes::Dynamic { keys, values });
    made.add_children(inside);
    made.into()
}

/// The value of an attribute that is left out where it is empty.
pub(super) fn given(value: Text) -> Option<AttrValue> {
    (!value.is_empty()).then_some(AttrValue::Static(value))
}
