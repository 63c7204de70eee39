//! The integration tests, in one binary.

mod suite {
    mod house;
}
