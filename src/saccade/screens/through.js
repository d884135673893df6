// Which of these boxes, in the page's coordinates, show the frame `node` itself at one of five places?
(node, boxes) => {
  const topAt = (x, y) => {
    let hit = document.elementFromPoint(x, y);
    while (hit && hit.shadowRoot) {
      const inner = hit.shadowRoot.elementFromPoint(x, y);
      if (!inner || inner === hit) break;
      hit = inner;
    }
    return hit;
  };
  const places = [[0.5, 0.5], [0.15, 0.2], [0.85, 0.2], [0.15, 0.8], [0.85, 0.8]];
  return boxes.map(([x0, y0, x1, y1]) => places.some(([fx, fy]) => topAt(x0 + fx * (x1 - x0), y0 + fy * (y1 - y0)) === node));
}
