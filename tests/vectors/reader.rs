// An example: judges a `size` of its own by the module that `colex export --rust` writes, as vectors.rs.
// SPDX-License-Identifier: Apache-2.0
mod vectors;

// Of the layout behind a swizzle and its offset; nothing beyond 64 bits.
fn size(layout: &str) -> Option<u64> {
    let shape = layout.rsplit('o').next()?.split(':').next()?;
    let mut extents = shape.split(|c: char| !c.is_ascii_digit()).filter(|s| !s.is_empty());
    extents.try_fold(1u64, |n, extent| n.checked_mul(extent.parse().ok()?))
}

fn main() {
    let of_size = |v: &&vectors::Vector| v.operation == "size" && v.flag == "defined" && v.answer.len() <= 18;
    let asked: Vec<_> = vectors::VECTORS.iter().filter(of_size).collect();
    let wrong = asked.iter().filter(|v| size(v.arguments).map(|n| n.to_string()).as_deref() != Some(v.answer));
    let wrong: Vec<_> = wrong.collect();
    for v in &wrong {
        println!("size {} is {}; known: {}", v.arguments, v.answer, v.defect);
    }
    println!("{} asked, {} wrong", asked.len(), wrong.len());
    std::process::exit((!wrong.is_empty() || asked.is_empty()) as i32);
}
