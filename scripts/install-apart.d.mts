export function installApart(folder: string): void;
