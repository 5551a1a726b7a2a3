// Small dense linear algebra: LU with pivoting for inverse and determinant, Jacobi for symmetric eigenvalues.

export const zeros = (n, m = n) => Array.from({ length: n }, () => new Float64Array(m));
export const multiply = (a, b) => {
  const out = zeros(a.length, b[0].length);
  for (let i = 0; i < a.length; i++) for (let k = 0; k < b.length; k++) { const x = a[i][k]; if (x) for (let j = 0; j < b[0].length; j++) out[i][j] += x * b[k][j]; }
  return out;
};
export const apply = (a, v) => Float64Array.from(a, (row) => { let s = 0; for (let j = 0; j < v.length; j++) s += row[j] * v[j]; return s; });

/** { inverse, logDet } of a symmetric positive definite matrix (Cholesky). */
export function invert(a) {
  const n = a.length, l = zeros(n);
  let logDet = 0;
  for (let i = 0; i < n; i++)
    for (let j = 0; j <= i; j++) {
      let s = a[i][j];
      for (let k = 0; k < j; k++) s -= l[i][k] * l[j][k];
      if (i === j) { l[i][i] = Math.sqrt(s); logDet += 2 * Math.log(l[i][i]); } else l[i][j] = s / l[j][j];
    }
  const inverse = zeros(n);
  for (let c = 0; c < n; c++) {
    const y = new Float64Array(n);
    for (let i = 0; i < n; i++) { let s = i === c ? 1 : 0; for (let k = 0; k < i; k++) s -= l[i][k] * y[k]; y[i] = s / l[i][i]; }
    for (let i = n - 1; i >= 0; i--) { let s = y[i]; for (let k = i + 1; k < n; k++) s -= l[k][i] * inverse[k][c]; inverse[i][c] = s / l[i][i]; }
  }
  return { inverse, logDet };
}

/** The symmetric square root of a symmetric matrix, negative eigenvalues as 0. */
export function squareRoot(matrix) {
  const n = matrix.length, a = matrix.map((r) => Float64Array.from(r)), v = zeros(n);
  for (let i = 0; i < n; i++) v[i][i] = 1;
  for (let sweep = 0; sweep < 100; sweep++) {
    let off = 0, all = 0;
    for (let i = 0; i < n; i++) for (let j = 0; j < n; j++) { all += a[i][j] ** 2; if (i !== j) off += a[i][j] ** 2; }
    if (off <= 1e-32 * all) break;
    for (let p = 0; p < n; p++)
      for (let q = p + 1; q < n; q++) {
        if (a[p][q] === 0) continue;
        const theta = (a[q][q] - a[p][p]) / (2 * a[p][q]), t = (theta < 0 ? -1 : 1) / (Math.abs(theta) + Math.sqrt(theta * theta + 1));
        const c = 1 / Math.sqrt(t * t + 1), s = t * c;
        for (let k = 0; k < n; k++) { const x = a[k][p], y = a[k][q]; a[k][p] = c * x - s * y; a[k][q] = s * x + c * y; }
        for (let k = 0; k < n; k++) { const x = a[p][k], y = a[q][k]; a[p][k] = c * x - s * y; a[q][k] = s * x + c * y; }
        for (let k = 0; k < n; k++) { const x = v[k][p], y = v[k][q]; v[k][p] = c * x - s * y; v[k][q] = s * x + c * y; }
      }
  }
  const out = zeros(n);
  for (let k = 0; k < n; k++) {
    const root = Math.sqrt(Math.max(0, a[k][k]));
    for (let i = 0; i < n; i++) for (let j = 0; j < n; j++) out[i][j] += v[i][k] * root * v[j][k];
  }
  return out;
}
