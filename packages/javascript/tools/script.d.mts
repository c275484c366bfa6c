export function script(entry: string): Promise<string>;
