// Sorting and filtering of the ranking. Without it, the page is the same with a plain table.
"use strict";
(() => {
  const kShort = 10; // rows before all are asked for
  const table = document.querySelector("table.sortable");
  if (!table) return;
  const body = table.tBodies[0];
  const rows = Array.from(body.rows);
  const heads = Array.from(table.tHead.rows[0].cells);
  const controls = document.querySelector(".controls");
  const more = document.querySelector(".more");
  const count = controls.querySelector("output");
  const fields = Array.from(controls.querySelectorAll("input, select"));
  let whole = rows.length <= kShort;

  const fill = (words, ...figures) => figures.reduce((text, figure) => text.replace("{}", figure), words);

  const matches = (row) => fields.every((field) => {
    const wanted = field.value.trim().toLowerCase();
    if (wanted === "") return true;
    if (field.name !== "text") return row.dataset[field.name].toLowerCase() === wanted;
    const text = row.textContent.toLowerCase();
    return wanted.split(/\s+/).every((word) => text.includes(word));
  });

  const show = () => {
    let matching = 0;
    let shown = 0;
    for (const row of body.rows) {
      const fits = matches(row);
      matching += fits ? 1 : 0;
      row.hidden = !fits || (!whole && shown >= kShort);
      shown += row.hidden ? 0 : 1;
    }
    count.textContent = fill(count.dataset.text, shown, rows.length);
    more.hidden = rows.length <= kShort || (!whole && matching <= kShort);
    more.textContent = whole ? more.dataset.fewer : fill(more.dataset.all, matching);
    more.setAttribute("aria-expanded", String(whole));
  };

  const key = (row, column) => {
    const cell = row.cells[column];
    if (cell.dataset.value === undefined) return cell.textContent.trim();
    return cell.dataset.value === "" ? null : Number(cell.dataset.value);
  };

  // What has no figure is last in either direction; equals keep the order of the ranking.
  const compare = (a, b, up) => {
    if (a === null || b === null) return a === b ? 0 : a === null ? 1 : -1;
    const order = typeof a === "number" && typeof b === "number" ? a - b
      : String(a).localeCompare(String(b), undefined, { numeric: true });
    return up ? order : -order;
  };

  const sort = (column) => {
    const head = heads[column];
    const up = head.getAttribute("aria-sort") !== "ascending";
    for (const other of heads) other.removeAttribute("aria-sort");
    head.setAttribute("aria-sort", up ? "ascending" : "descending");
    const order = rows.map((row, at) => [key(row, column), at]);
    order.sort((a, b) => compare(a[0], b[0], up) || a[1] - b[1]);
    body.append(...order.map(([, at]) => rows[at]));
    show();
  };

  heads.forEach((head, column) => {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...head.childNodes);
    head.append(button);
    button.addEventListener("click", () => sort(column));
  });
  heads[0].setAttribute("aria-sort", "ascending");
  for (const field of fields) field.addEventListener("input", show);
  controls.addEventListener("submit", (event) => event.preventDefault());
  more.addEventListener("click", () => { whole = !whole; show(); });
  controls.hidden = false;
  show();
})();
