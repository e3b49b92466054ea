export function writeScalePage(): void {}
