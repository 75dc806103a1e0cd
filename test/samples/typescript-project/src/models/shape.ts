export default interface Shape { area(): number }
export interface Ring { inner: number }
