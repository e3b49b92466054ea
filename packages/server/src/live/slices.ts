/** How long work may hold the event loop before others have their turn, in ms. */
const SLICE_MS = 10;

/** Divides long work into slices: `pause` lets others use the event loop where the slice is over. */
export class Slices {
  #end = performance.now() + SLICE_MS;

  get isOver(): boolean {
    return performance.now() >= this.#end;
  }

  async pause(): Promise<void> {
    await new Promise((resolve) => setImmediate(resolve));
    this.#end = performance.now() + SLICE_MS;
  }
}
