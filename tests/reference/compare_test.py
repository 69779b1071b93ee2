"""The comparing rules, by example."""

import unittest

from compare import differences


class Differences(unittest.TestCase):
    def same(self, expected: object, found: object) -> None:
        self.assertEqual(list(differences(expected, found)), [])

    def differ(self, expected: object, found: object, count: int = 1) -> None:
        self.assertEqual(len(list(differences(expected, found))), count)

    def test_numbers_compare_by_value(self) -> None:
        self.same({"a": [10, 0]}, {"a": [10.0, -0.0]})
        self.differ(2**53 + 1, float(2**53))

    def test_booleans_equal_only_booleans(self) -> None:
        self.differ([True, 1, 0], [1, True, False], 3)

    def test_an_absent_field_is_not_a_null_one(self) -> None:
        self.differ({"a": None}, {})
        self.differ({}, {"a": None})

    def test_arrays_compare_in_order_and_length(self) -> None:
        self.differ([1, 2], [2, 1], 2)
        self.differ([1, 2], [1])

    def test_the_tools_own_version_is_not_compared(self) -> None:
        self.same({"source_version": "0.4.3"}, {"source_version": "1"})

    def test_where_the_reference_stops_any_answer_but_none_will_do(self) -> None:
        self.same({"a": {"stopped": "ValueError"}}, {"a": [1]})
        self.differ({"a": {"stopped": "ValueError"}}, {"a": None})
        self.differ({"a": {"stopped": "ValueError"}}, {})


if __name__ == "__main__":
    unittest.main()
