/**
 * The script of an interactive reference page: it filters the endpoints, and sends the requests of the forms with the key
 * that was entered, to the server of the page. Texts of responses are only ever shown as text.
 */
export const PAGE_SCRIPT = `
(() => {
  const base = new URL(".", location.href).pathname.replace(/\\/$/, "");
  const tools = document.getElementById("tools");
  const keyInput = document.getElementById("api-key");
  const filter = document.getElementById("filter");
  tools.hidden = false;
  filter.addEventListener("input", () => {
    const words = filter.value.toLowerCase().split(/\\s+/).filter(Boolean);
    const matches = (element) => words.every((word) => element.textContent.toLowerCase().includes(word));
    for (const article of document.querySelectorAll("article")) {
      article.hidden = !matches(article.querySelector(".summary"));
      document.querySelector('nav a[href="#' + article.id + '"]').parentElement.hidden = article.hidden;
    }
    for (const group of document.querySelectorAll(".group"))
      group.hidden = group.querySelector("article:not([hidden])") === null;
    const count = document.querySelectorAll("article:not([hidden])").length;
    document.getElementById("found").textContent = words.length === 0 ? "" : count + (count === 1 ? " endpoint" : " endpoints");
  });
  const sizeOf = (length) => (length < 1000 ? length + " B" : (length / 1000).toFixed(1) + " kB");
  for (const details of document.querySelectorAll(".try")) {
    details.hidden = false;
    const form = details.querySelector("form");
    const status = details.querySelector("[role=status]");
    const output = details.querySelector("pre");
    const button = details.querySelector("button");
    form.addEventListener("submit", async (event) => {
      event.preventDefault();
      let path = details.dataset.path;
      const query = new URLSearchParams();
      const headers = keyInput.value === "" ? {} : { "X-API-Key": keyInput.value };
      let body;
      for (const field of form.elements) {
        const { name, value } = field;
        if (field.dataset.in === "path") path = path.replace("{" + name + "}", encodeURIComponent(value));
        if (field.dataset.in === "query" && value !== "") query.append(name, value);
        if (field.dataset.in === "body" && value.trim() !== "") {
          body = value;
          headers["Content-Type"] = "application/json";
        }
      }
      const search = query.toString();
      const started = performance.now();
      button.disabled = true;
      status.textContent = "Sending…";
      try {
        const url = base + path + (search && "?" + search);
        const response = await fetch(url, { method: details.dataset.method, headers, body, credentials: "omit" });
        const text = await response.text();
        const ms = Math.round(performance.now() - started);
        status.textContent = response.status + " · " + ms + " ms · " + sizeOf(text.length);
        let shown = text;
        try {
          shown = JSON.stringify(JSON.parse(text), null, 2);
        } catch {}
        output.textContent = shown.slice(0, 200000);
        output.hidden = false;
      } catch (error) {
        status.textContent = "No response: " + error.message;
        output.hidden = true;
      }
      button.disabled = false;
    });
  }
})();
`;
