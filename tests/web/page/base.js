// What all parts of the page use: elements, and the data that was packed with the page. SPDX-License-Identifier: Apache-2.0

// element("p.quiet", {id: "x"}, child, "text"): what is undefined or null is left out.
export function element(what, attributes = {}, ...children) {
  const [tag, ...classes] = what.split(".");
  const made = document.createElement(tag);
  if (classes.length) made.className = classes.join(" ");
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") made.addEventListener(name, value);
    else if (value !== undefined && value !== null && value !== false) made.setAttribute(name, value === true ? "" : value);
  }
  made.append(...children.filter((child) => child !== undefined && child !== null));
  return made;
}

// A request that asks itself when it is clicked.
export const question = (line, shown = line) => element("a.question-link", { href: "#" + encodeURIComponent(line) }, element("code", {}, shown));

const digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%&()*+-;,=>?@^_`{|}~";
// The bytes that make.py wrote into the page: five digits for four of them, the last group as many as it needs.
export function packed(id) {
  const text = document.getElementById(id).textContent;
  const worth = new Uint8Array(128);
  for (let k = 0; k < digits.length; ++k) worth[digits.charCodeAt(k)] = k;
  const bytes = new Uint8Array(Math.floor((text.length * 4) / 5));
  for (let from = 0, to = 0; from < text.length; from += 5) {
    let word = 0;
    for (let k = from; k < from + 5; ++k) word = 85 * word + (k < text.length ? worth[text.charCodeAt(k)] : 84);
    for (let shift = 24; shift >= 0 && to < bytes.length; shift -= 8) bytes[to++] = word >>> shift;
  }
  return bytes;
}

let unpackedData = null;
// Operations, atoms, what implementations answer: from the page itself.
export function data() {
  const unpack = async () => {
    return new Response(new Blob([packed("data")]).stream().pipeThrough(new DecompressionStream("gzip"))).json();
  };
  return (unpackedData ??= unpack());
}

// Local storage, where the browser allows it.
export const kept = {
  read(name) {
    try {
      return JSON.parse(localStorage.getItem(name)) ?? [];
    } catch {
      return [];
    }
  },
  write(name, what) {
    try {
      localStorage.setItem(name, JSON.stringify(what));
    } catch {
      return; // then it lives as long as the page
    }
  },
};

export function download(name, content) {
  const url = URL.createObjectURL(content);
  element("a", { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 10000);
}
