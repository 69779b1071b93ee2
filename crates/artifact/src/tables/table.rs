//! A table that is written row by row, row group by row group.

use std::io::Write;
use std::sync::Arc;

use parquet::basic::Compression;
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::types::Type;
use stepscope_reduce::Raw;

use super::TableName;
use super::column::Column;

/// Rows of a row group: some ten megabytes in the making.
const GROUP_ROWS: usize = 1 << 16;

/// A table in the making.
pub(super) struct Table<W: Write + Send> {
    writer: SerializedFileWriter<W>,
    columns: Vec<Column>,
    /// Rows since the last row group.
    rows: usize,
    written: u64,
}

impl<W: Write + Send> Table<W> {
    pub(super) fn begin(sink: W, name: TableName) -> Result<Self, ParquetError> {
        let fields = name.columns().iter().map(|spec| spec.to_type()).collect::<Result<_, _>>()?;
        let schema = Type::group_type_builder(name.name()).with_fields(fields).build()?;
        let properties = WriterProperties::builder()
            .set_compression(Compression::SNAPPY)
            .set_created_by(concat!("stepscope ", env!("CARGO_PKG_VERSION")).to_owned())
            .build();
        Ok(Self {
            writer: SerializedFileWriter::new(sink, Arc::new(schema), Arc::new(properties))?,
            columns: name.columns().iter().map(Column::new).collect(),
            rows: 0,
            written: 0,
        })
    }

    /// A new row; every column must be given once, in order.
    pub(super) fn row(&mut self) -> Row<'_, W> {
        Row { table: self, at: 0 }
    }

    fn flush(&mut self) -> Result<(), ParquetError> {
        let mut group = self.writer.next_row_group()?;
        for column in &mut self.columns {
            let Some(to) = group.next_column()? else {
                return Err(ParquetError::General("a column without a place".to_owned()));
            };
            column.write(to)?;
        }
        group.close()?;
        self.written += self.rows as u64;
        self.rows = 0;
        Ok(())
    }

    /// Writes what is left; how many rows the table has.
    pub(super) fn finish(mut self) -> Result<u64, ParquetError> {
        if self.rows > 0 {
            self.flush()?;
        }
        self.writer.close()?;
        Ok(self.written)
    }
}

/// A row in the making.
pub(super) struct Row<'t, W: Write + Send> {
    table: &'t mut Table<W>,
    at: usize,
}

impl<W: Write + Send> Row<'_, W> {
    fn column(&mut self, name: &str) -> &mut Column {
        let column = &mut self.table.columns[self.at];
        debug_assert_eq!(column.spec.name, name);
        self.at += 1;
        column
    }

    pub(super) fn set<'v>(&mut self, name: &str, value: impl Into<Raw<'v>>) {
        let value = value.into();
        self.column(name).push(value);
    }

    pub(super) fn float(&mut self, name: &str, value: Option<f64>) {
        self.column(name).push_float(value);
    }

    /// Ends the row.
    pub(super) fn end(self) -> Result<(), ParquetError> {
        debug_assert_eq!(self.at, self.table.columns.len());
        self.table.rows += 1;
        if self.table.rows == GROUP_ROWS { self.table.flush() } else { Ok(()) }
    }
}
