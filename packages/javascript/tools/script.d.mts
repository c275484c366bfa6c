export const DOCUMENTATION: string;
export function script(entry: string): Promise<string>;
