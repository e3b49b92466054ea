/** How long work may block the event loop, in ms. */
const SLICE_MS = 10;

/** Divides long work into time slices: `pause` yields to the event loop when a slice has expired. */
export class TimeSlicer {
  #end = performance.now() + SLICE_MS;

  get isExpired(): boolean {
    return performance.now() >= this.#end;
  }

  async pause(): Promise<void> {
    await new Promise((resolve) => setImmediate(resolve));
    this.#end = performance.now() + SLICE_MS;
  }
}
