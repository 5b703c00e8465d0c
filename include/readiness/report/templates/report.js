(() => {
  const data = JSON.parse(document.getElementById("ramp-data").textContent);
  const ramp = document.querySelector(".ramp");
  const drawings = ramp.querySelectorAll("svg"), buttons = ramp.querySelectorAll("button");
  const spoken = ramp.querySelector(".spoken");
  const columns = [];
  for (const [start, length, began] of data.spans) {
    for (let second = 0; second < length; second += data.step) {
      columns.push({
        x: start + (second + Math.min(second + data.step, length)) / 2,
        clock: new Date((began + second) * 1000).toISOString().slice(11, 19) + " UTC",
      });
    }
  }
  let from = 0, width = 1, at = -1;

  const zoom = (start, part) => {
    from = start; width = part;
    ramp.style.setProperty("--x0", start);
    ramp.style.setProperty("--w", part);
    for (const svg of drawings) svg.setAttribute("viewBox", `${start * data.total} 0 ${part * data.total} 100`);
  };
  const reading = ([name, unit, values]) => {
    const value = values[at] === null ? "–" : values[at].toLocaleString("en");
    const gap = unit && !unit.startsWith("/") ? "\u00a0" : "";
    return `${name ? name + " " : ""}${value}${gap}${unit}`;
  };
  const show = (index) => {
    at = Math.max(0, Math.min(columns.length - 1, index));
    ramp.classList.add("reading");
    ramp.style.setProperty("--c", columns[at].x / data.total);
    let all = columns[at].clock;
    ramp.querySelectorAll(".panel").forEach((panel, n) => {
      const text = (data.panels[panel.dataset.panel] || []).map(reading).join(" · ");
      panel.querySelector(".readout").textContent = (n ? "" : columns[at].clock + "  ") + text;
      all += ". " + text;
    });
    return all;
  };
  const hide = () => {
    ramp.classList.remove("reading");
    ramp.querySelectorAll(".readout").forEach((e) => { e.textContent = ""; });
  };
  const release = () => buttons.forEach((b) => b.setAttribute("aria-pressed", "false"));
  const nearest = (second) => columns.reduce((best, column, i) =>
    Math.abs(column.x - second) < Math.abs(columns[best].x - second) ? i : best, 0);

  ramp.addEventListener("pointermove", (event) => {
    const area = event.target.closest(".area");
    if (!area) return;
    const box = area.getBoundingClientRect();
    show(nearest((from + (event.clientX - box.left) / box.width * width) * data.total));
  });
  ramp.addEventListener("pointerleave", hide);
  ramp.addEventListener("keydown", (event) => {
    if (event.key === "ArrowRight") spoken.textContent = show(at + 1);
    else if (event.key === "ArrowLeft") spoken.textContent = show(at - 1);
    else if (event.key === "Home") spoken.textContent = show(0);
    else if (event.key === "End") spoken.textContent = show(columns.length - 1);
    else if (event.key === "Escape") { hide(); zoom(0, 1); release(); }
    else return;
    event.preventDefault();
  });
  buttons.forEach((button) => {
    button.disabled = false;
    button.addEventListener("click", () => {
      const wasOn = button.getAttribute("aria-pressed") === "true";
      release();
      if (wasOn) { zoom(0, 1); return; }
      const [start, length] = button.dataset.zoom.split(",").map(Number);
      const margin = Math.min(60, length * 0.08);
      button.setAttribute("aria-pressed", "true");
      zoom((start - margin) / data.total, (length + 2 * margin) / data.total);
    });
  });
  document.querySelectorAll("[data-js]").forEach((e) => { e.hidden = false; });
})();
