// What is wrong with a screen's looks: targets too small for a finger, text that is cut off, things wider than the phone.
() => {
  const problems = [];
  const root = document.querySelector("#phone") || document.body;
  const frame = root.getBoundingClientRect();
  const name = (node) => node.getAttribute("data-w") || node.className || node.tagName;
  const hidden = (node) => !node.offsetParent && getComputedStyle(node).position !== "fixed";
  for (const node of root.querySelectorAll("[data-w]")) {
    const box = node.getBoundingClientRect();
    if (hidden(node) || box.width === 0) continue;
    if (box.width < 39.5 || box.height < 39.5)
      problems.push(`small ${name(node)}: ${box.width.toFixed(0)}×${box.height.toFixed(0)}`);
    if (box.left < frame.left - 1 || box.right > frame.right + 1)
      problems.push(`beyond the edge ${name(node)}: ${box.left.toFixed(0)}–${box.right.toFixed(0)}`);
  }
  for (const node of root.querySelectorAll("*")) {
    const own = [...node.childNodes].some((child) => child.nodeType === 3 && child.textContent.trim());
    if (!own || hidden(node) || /^(INPUT|TEXTAREA|SCRIPT|STYLE|OPTION)$/.test(node.tagName)) continue;
    const style = getComputedStyle(node);
    const clips = style.overflowX !== "visible" || style.overflowY !== "visible";
    if (clips && (node.scrollWidth > node.clientWidth + 1 || node.scrollHeight > node.clientHeight + 3))
      problems.push(`cut text: ${node.textContent.trim().slice(0, 60)}`);
    const box = node.getBoundingClientRect();
    if (box.right > frame.right + 1 || box.left < frame.left - 1)
      if (!node.closest(".scrolls-sideways")) problems.push(`text beyond the edge: ${node.textContent.trim().slice(0, 60)}`);
  }
  for (const node of root.querySelectorAll("input[data-w]"))
    if (!node.value && node.placeholder && node.scrollWidth > node.clientWidth + 1) problems.push(`cut hint: ${node.placeholder}`);
  return [...new Set(problems)];
}
