export function render(list: number[], ...rest: string[]): string {
  return [...list.map((n) => n ** 2), ...rest].join();
}
