/** The line under a table: what made it, of which state of the code, on what machine. */
export declare function madeBy(command: string): string;
