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

let unpackedData = null;
// Operations, atoms, what implementations answer: from the page itself.
export function data() {
  const unpack = async () => {
    const bytes = Uint8Array.from(atob(document.getElementById("data").textContent), (c) => c.charCodeAt(0));
    return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"))).json();
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
