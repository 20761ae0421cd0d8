export const noData = '<p class="no-data">no data</p>';
