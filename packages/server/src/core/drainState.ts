/** Whether the server is about to stop. Its responses then close their connections. */
export class DrainState {
  #isDraining = false;
  #isReady = true;

  get isDraining(): boolean {
    return this.#isDraining;
  }

  /** Whether readiness checks may succeed: another process of this address has taken over, or it does not drain. */
  get isReady(): boolean {
    return this.#isReady;
  }

  begin({ isReplaced }: { isReplaced: boolean }): void {
    this.#isDraining = true;
    this.#isReady = isReplaced;
  }
}
