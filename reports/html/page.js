// The chart: lanes over one axis, to hover and to zoom. It reads the page's own data block and asks nobody for
// anything; whatever comes from a log is shown as text.
"use strict";
(() => {
  const data = JSON.parse(document.getElementById("chart-data").textContent);
  const chart = document.querySelector(".chart");
  const tip = chart.querySelector(".tip");
  const canvases = [...chart.querySelectorAll("canvas")];
  const count = data.first.length;
  const [LEFT, RIGHT] = [66, 6]; // room for the values of the vertical axes
  let [from, to] = [0, count]; // the columns that are shown
  let cursor = null;
  let picked = null; // where a zoom began, while the button is held

  const colours = new Map(); // of one drawing: to ask for a style costs more than to draw
  const colour = (name) => {
    if (!colours.has(name)) {
      colours.set(name, getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim());
    }
    return colours.get(name);
  };
  const clamp = (value, low, high) => Math.min(high, Math.max(low, value));
  const whole = (number) => number.toLocaleString("en-US");
  const width = () => canvases[0].clientWidth - LEFT - RIGHT;
  const x = (column) => LEFT + ((column - from) / (to - from)) * width();
  const columnAt = (px) => clamp(Math.floor(from + ((px - LEFT) / width()) * (to - from)), from, to - 1);
  const iterations = (column) => {
    const [first, last] = [data.first[column], data.last[column]];
    return first === last ? `iteration ${whole(first)}` : `iterations ${whole(first)}–${whole(last)}`;
  };

  function begin(canvas) {
    const scale = window.devicePixelRatio || 1;
    canvas.width = Math.round(canvas.clientWidth * scale);
    canvas.height = Math.round(canvas.clientHeight * scale);
    const pen = canvas.getContext("2d");
    pen.scale(scale, scale);
    pen.font = "12px system-ui, sans-serif";
    pen.textBaseline = "middle";
    return pen;
  }

  function label(pen, text, px, y, align = "right") {
    pen.fillStyle = colour("dim");
    pen.textAlign = align;
    pen.fillText(text, px, y);
  }

  function rule(pen, y, dashed = false) {
    pen.strokeStyle = colour("line");
    pen.setLineDash(dashed ? [5, 4] : []);
    pen.beginPath();
    pen.moveTo(LEFT, Math.round(y) + 0.5);
    pen.lineTo(LEFT + width(), Math.round(y) + 0.5);
    pen.stroke();
    pen.setLineDash([]);
  }

  // Most of the height is for the normal iterations; the slow ones stand above a break, on a scale of their own.
  function times(pen, height) {
    const band = data.band;
    if (!band) return;
    const split = band.top ? Math.round(height * 0.4) : 8;
    const y = (s) => height - 6 - clamp((s - band.low) / (band.high - band.low), 0, 1) * (height - 6 - split);
    const above = (s) => split - 5 - clamp((s - band.high) / (band.top - band.high), 0, 1) * (split - 24);
    for (const [value, text] of band.marks) {
      rule(pen, y(value));
      label(pen, text, LEFT - 6, clamp(y(value), split + 8, height - 8));
    }
    if (band.top) {
      rule(pen, split - 3, true);
      label(pen, band.most, LEFT - 6, 19);
    }
    pen.strokeStyle = colour("chart");
    pen.globalAlpha = 0.3;
    pen.beginPath();
    for (let c = from; c < to; c++) {
      if (data.median[c] !== null) pen.lineTo((x(c) + x(c + 1)) / 2, y(data.median[c]));
    }
    pen.stroke();
    pen.globalAlpha = 1;
    const slow = [];
    for (let c = from; c < to; c++) {
      const [left, next] = [x(c), x(c + 1)];
      const wide = Math.max(1.2, next - left - (next - left > 4 ? 1 : 0));
      if (data.low[c] !== null) {
        const [top, bottom] = [y(data.high[c]), y(data.low[c])];
        pen.fillStyle = colour("chart");
        pen.globalAlpha = 0.42; // the reach of the clean iterations; the middle of it is drawn full
        pen.fillRect(left, Math.min(top, bottom - 2), wide, Math.max(2, bottom - top));
        pen.globalAlpha = 1;
        pen.fillRect(left, y(data.median[c]) - 1, wide, 2);
      }
      if (data.slowest[c] === null || !(data.hues[c] || data.low[c] === null || data.slowest[c] > band.high)) continue;
      if (data.slowest[c] > band.high) { slow.push(c); continue; }
      pen.fillStyle = colour(data.hues[c] || "chart");
      pen.fillRect((left + next) / 2 - 2, y(data.slowest[c]) - 2, 4, 4);
    }
    slow.sort((a, b) => data.slowest[b] - data.slowest[a]);
    for (const c of [...slow].reverse()) {
      pen.fillStyle = colour(data.hues[c] || "chart");
      const wide = clamp(x(c + 1) - x(c), 2, 9);
      pen.fillRect((x(c) + x(c + 1) - wide) / 2, above(data.slowest[c]), wide, split - 4 - above(data.slowest[c]));
    }
    const taken = [];
    for (const c of slow.slice(0, 60)) {
      const words = data.tops[c];
      if (!words) continue;
      const half = pen.measureText(words).width / 2 + 5;
      const middle = clamp((x(c) + x(c + 1)) / 2, LEFT + half, LEFT + width() - half);
      const spot = [middle - half, middle + half, above(data.slowest[c]) - 9];
      if (taken.some(([a, b, v]) => a < spot[1] && spot[0] < b && Math.abs(v - spot[2]) < 14)) continue;
      if (slow.some((o) => o !== c && x(o) > spot[0] - 4 && x(o) < spot[1] && above(data.slowest[o]) < spot[2] + 7)) continue;
      taken.push(spot);
      label(pen, words, middle, spot[2], "center");
    }
    for (const [c, words] of data.moved) {
      if (c < from || c >= to) continue;
      pen.fillStyle = colour("accent");
      pen.textAlign = "left";
      pen.fillText(words, Math.min(x(c), LEFT + width() - 60), split + 8);
    }
  }

  function cause(pen, height, lane) {
    const middle = height / 2;
    pen.fillStyle = colour(lane.dataset.hue);
    if (lane.dataset.cause === "training") {
      pen.fillRect(LEFT, middle - 1.5, width(), 3);
      return;
    }
    rule(pen, middle);
    pen.fillStyle = colour(lane.dataset.hue);
    for (const [c, n] of data.causes[lane.dataset.cause] || []) {
      if (c < from || c >= to) continue;
      const tall = n === 1 ? height - 8 : height - 3; // several in one column: a fuller mark
      pen.fillRect(x(c), middle - tall / 2, Math.max(2, x(c + 1) - x(c) - 1), tall);
    }
  }

  // The range of a curve: that of the whole run, or of the part that is shown.
  function reach(shown) {
    const seen = shown.values.slice(from, to).concat((shown.lows || []).slice(from, to)).filter((v) => v !== null);
    if (to - from === count || shown.unit === "%" || !seen.length) return shown;
    for (const [c, value] of shown.rings || []) if (c >= from && c < to) seen.push(value);
    const [low, high] = [Math.min(...seen), Math.max(...seen)];
    const margin = 0.04 * (high - low) || 0.05 * Math.abs(high) || 1;
    const short = (v) => v.toLocaleString("en-US", { maximumSignificantDigits: 4 });
    const mark = (v) => `${short(v).length > 7 ? v.toExponential(1) : short(v)} ${shown.unit}`.trim();
    return { low: low - margin, high: high + margin, marks: [mark(low - margin), mark(high + margin)] };
  }

  function curve(pen, height, lane) {
    const shown = data.curves[Number(lane.dataset.curve)];
    const { low, high, marks } = reach(shown);
    const y = (value) => height - 8 - clamp((value - low) / (high - low), -0.05, 1.05) * (height - 16);
    for (const [value, text] of [[low, marks[0]], [high, marks[1]]]) {
      rule(pen, y(value));
      label(pen, text, LEFT - 6, y(value));
    }
    pen.save();
    pen.beginPath();
    pen.rect(LEFT, 4, width(), height - 8);
    pen.clip();
    const style = colour(shown.name === "loss" ? "loss" : "curve");
    const known = [];
    for (let c = from; c < to; c++) if (shown.values[c] !== null) known.push(c);
    if (known.length < (to - from) / 4) { // it comes now and then: a point each, joined by a thin line
      pen.strokeStyle = pen.fillStyle = style;
      pen.beginPath();
      for (const c of known) pen.lineTo((x(c) + x(c + 1)) / 2, y(shown.values[c]));
      pen.globalAlpha = 0.4;
      pen.stroke();
      pen.globalAlpha = 1;
      for (const c of known) {
        pen.beginPath();
        pen.arc((x(c) + x(c + 1)) / 2, y(shown.values[c]), 2.2, 0, 7);
        pen.fill();
      }
      pen.restore();
      return;
    }
    const line = (values, style, thick) => {
      pen.strokeStyle = style;
      pen.lineWidth = thick;
      pen.lineJoin = "round";
      pen.beginPath();
      let before = false;
      for (let c = Math.max(0, from - 1); c < Math.min(count, to + 1); c++) {
        if (values[c] === null) { before = false; continue; }
        const middle = (x(c) + x(c + 1)) / 2;
        if (before) pen.lineTo(middle, y(values[c]));
        else { pen.moveTo(middle - 0.7, y(values[c])); pen.lineTo(middle + 0.7, y(values[c])); }
        before = true;
      }
      pen.stroke();
    };
    if (shown.lows && shown.lows.length) { pen.globalAlpha = 0.45; line(shown.lows, style, 1); pen.globalAlpha = 1; }
    line(shown.values, style, 1.6);
    pen.strokeStyle = colour("ring");
    pen.lineWidth = 1.8;
    let before = -9;
    for (const [c, value] of shown.rings || []) {
      const middle = (x(c) + x(c + 1)) / 2;
      if (c < from || c >= to || middle - before < 9) continue; // one per ring's width
      pen.beginPath();
      pen.arc(middle, y(value), 3.2, 0, 7);
      pen.stroke();
      before = middle;
    }
    pen.restore();
    pen.lineWidth = 1;
  }

  function axis(pen) {
    const wanted = Math.max(2, Math.floor(width() / 110));
    const passed = Math.max(1, data.last[to - 1] - data.first[from]);
    const power = 10 ** Math.floor(Math.log10(passed / wanted));
    const step = Math.max(1, [1, 2, 2.5, 5, 10].map((m) => m * power).find((s) => s >= passed / wanted));
    let [seen, end] = [data.first[from] - 1, 0];
    for (let c = from; c < to; c++) {
      if (data.last[c] <= seen) seen = data.first[c] - 1; // a resumed run stepped back
      const tick = Math.ceil((seen + 1) / step) * step;
      if (tick <= data.last[c]) {
        const words = whole(tick);
        const place = clamp(x(c), LEFT, LEFT + width() - pen.measureText(words).width);
        if (place >= end) {
          label(pen, words, place, 10, "left");
          end = place + pen.measureText(words).width + 16;
        }
      }
      seen = data.last[c];
    }
  }

  function draw() {
    colours.clear();
    for (const canvas of canvases) {
      const pen = begin(canvas);
      const height = canvas.clientHeight;
      ({ times, cause, curve, axis })[canvas.dataset.lane](pen, height, canvas);
      if (picked !== null && cursor !== null && picked !== cursor) {
        pen.fillStyle = colour("pick");
        const [a, b] = [Math.min(picked, cursor), Math.max(picked, cursor) + 1];
        pen.fillRect(x(a), 0, x(b) - x(a), height);
      }
      if (cursor !== null && cursor >= from && cursor < to && canvas.dataset.lane !== "axis") {
        pen.fillStyle = colour("cursor");
        pen.globalAlpha = 0.55;
        pen.fillRect((x(cursor) + x(cursor + 1)) / 2 - 0.5, 0, 1, height);
        pen.globalAlpha = 1;
      }
    }
  }

  function say() {
    tip.replaceChildren();
    if (cursor === null || cursor < from || cursor >= to) { tip.style.display = "none"; return; }
    const add = (text, name = "div", hue = "") => {
      const line = document.createElement(name);
      line.textContent = text;
      line.className = hue;
      tip.append(line);
    };
    add(iterations(cursor), "b");
    add(data.said[cursor]);
    for (const lane of chart.querySelectorAll("canvas[data-cause]")) {
      const here = (data.causes[lane.dataset.cause] || []).find(([c]) => c === cursor);
      if (here) add(here[1] > 1 ? `${lane.dataset.cause} × ${whole(here[1])}` : lane.dataset.cause, "div", lane.dataset.hue);
    }
    for (const shown of data.curves) {
      const value = shown.values[cursor];
      if (value !== null) add(`${shown.name} ${value.toLocaleString("en-US", { maximumSignificantDigits: 5 })} ${shown.unit}`);
      const ring = (shown.rings || []).find(([c]) => c === cursor);
      if (ring) add(`validation ${ring[1].toLocaleString("en-US", { maximumSignificantDigits: 5 })}`);
    }
    tip.style.display = "block";
    const plot = canvases[0].getBoundingClientRect();
    const frame = chart.getBoundingClientRect();
    const middle = plot.left - frame.left + (x(cursor) + x(cursor + 1)) / 2;
    const left = middle + 14 + tip.offsetWidth > chart.clientWidth ? middle - 14 - tip.offsetWidth : middle + 14;
    tip.style.left = `${Math.max(4, left)}px`;
    tip.style.top = `${plot.top - frame.top + 8}px`;
  }

  function show(column) { cursor = column; draw(); say(); }

  function zoom(first, stop) {
    const least = Math.min(8, count);
    const wide = clamp(Math.round(stop - first), least, count);
    from = clamp(Math.round(first), 0, count - wide);
    to = from + wide;
    draw();
    say();
  }

  function zoomBy(factor) {
    const middle = cursor !== null && cursor >= from && cursor < to ? cursor + 0.5 : (from + to) / 2;
    const wide = (to - from) * factor;
    zoom(middle - wide * ((middle - from) / (to - from)), middle + wide * ((to - middle) / (to - from)));
  }

  function nextSlow(way) {
    let c = cursor === null ? (way > 0 ? from - 1 : to) : cursor;
    do { c += way; } while (c >= 0 && c < count && !data.hues[c]);
    if (c < 0 || c >= count) return;
    if (c < from || c >= to) zoom(c - (to - from) / 2, c + (to - from) / 2);
    show(c);
  }

  const place = (event) => columnAt(event.clientX - event.currentTarget.getBoundingClientRect().left);
  for (const canvas of canvases) {
    canvas.addEventListener("pointerdown", (event) => {
      if (event.pointerType === "mouse" && event.button === 0) {
        picked = place(event);
        canvas.setPointerCapture(event.pointerId);
      }
      show(place(event));
    });
    canvas.addEventListener("pointermove", (event) => show(place(event)));
    canvas.addEventListener("pointerup", () => {
      const [a, b] = [picked, cursor];
      picked = null;
      if (a !== null && b !== null && Math.abs(a - b) >= 2) zoom(Math.min(a, b), Math.max(a, b) + 1);
      else draw();
    });
    canvas.addEventListener("pointerleave", () => { if (picked === null) show(null); });
    canvas.addEventListener("pointercancel", () => { picked = null; });
    canvas.addEventListener("dblclick", () => zoom(0, count));
    canvas.addEventListener("wheel", (event) => {
      if (!event.ctrlKey && !event.metaKey) return; // the page scrolls
      event.preventDefault();
      zoomBy(event.deltaY > 0 ? 1.25 : 0.8);
    }, { passive: false });
  }
  const keys = {
    ArrowLeft: () => show(clamp((cursor ?? from) - 1, from, to - 1)),
    ArrowRight: () => show(clamp((cursor ?? from - 1) + 1, from, to - 1)),
    "+": () => zoomBy(0.5), "=": () => zoomBy(0.5), "-": () => zoomBy(2), "0": () => zoom(0, count),
    Escape: () => { show(null); zoom(0, count); },
    n: () => nextSlow(1), p: () => nextSlow(-1),
  };
  chart.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || !keys[event.key]) return;
    event.preventDefault();
    keys[event.key]();
  });
  const act = { in: () => zoomBy(0.5), out: () => zoomBy(2), all: () => zoom(0, count), next: () => nextSlow(1) };
  for (const button of chart.querySelectorAll("button[data-act]")) {
    button.addEventListener("click", () => act[button.dataset.act]());
  }
  for (const button of document.querySelectorAll("button[data-column]")) {
    button.addEventListener("click", () => {
      const column = Number(button.dataset.column);
      const wide = Math.min(count, 120);
      zoom(column - wide / 2, column + wide / 2);
      show(column);
      chart.scrollIntoView({ block: "start" });
    });
  }
  window.addEventListener("resize", () => { draw(); say(); });
  window.addEventListener("beforeprint", draw);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);
  draw();
  document.documentElement.dataset.drawn = String(count);
})();
