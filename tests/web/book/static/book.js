// What is wider than the page scrolls by keyboard, too. SPDX-License-Identifier: Apache-2.0
const reach = () => {
  for (const box of document.querySelectorAll(".table-wrapper, pre, .picture"))
    if (box.scrollWidth > box.clientWidth || box.scrollHeight > box.clientHeight) box.tabIndex = 0;
};
addEventListener("load", reach);
addEventListener("resize", reach);
