// CSI sequences (colours, cursor), OSC sequences (links, titles) and two-character ones, with 7-bit and 8-bit starts.
const ANSI =
  /(?:\u001b\][^\u0007\u001b]*(?:\u0007|\u001b\\)|[\u001b\u009b][[\]()#;?]*(?:\d{1,4}(?:[;:]\d{0,4})*)?[\dA-PR-TZcf-nq-uy=><~])/g
const CONTROL = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]/g

/** Removes terminal codes and control characters. */
export function toPlainText(text: string): string {
  return text.replace(ANSI, '').replace(/\r\n?/g, '\n').replace(CONTROL, '')
}

/** Removes marks that reverse text, so that `gpj.exe` is not shown as `exe.jpg`. */
export function dropBidiControls(text: string): string {
  return text.replaceAll(/[\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]/g, '')
}
